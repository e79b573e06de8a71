//! Agglomerative clustering: a tree of merges, cut into clusters.
//!
//! The whole tree is in the machine ([`Hierarchy::merges`], numbered as a dendrogram needs it). It is cut into `k`
//! clusters, or, if `height` is above 0, where merges become higher than that. New rows belong to the cluster whose mean
//! is nearest (scores are minus that distance, squared if Euclidean): exact for what ward means by a cluster, a simple
//! choice for the others. For clusters that are not round, the rows' own clusters ([`Hierarchy::labels`]) may differ
//! from those of the nearest mean; the certificate counts how many do.
//!
//! **Cost.** [`mod@crate::linkage`]: O(n²·d) time; n(n−1)/2 numbers of memory but for single linkage.
//! **Weights** other than 0 and 1 are refused.

use crate::codebook::Codebook;
use crate::linkage::{Linkage, Merge, cut, merges};
use crate::metric::Metric;
use crate::rows::add_row;
use crate::starts::check_rows;
use base::{
    Certificate, Dataset, Error, Facets, Features, Fitted, Inputs, Learner, Machine, Needs, Outputs, Plan, Points,
    Prediction, Record, Result, Run, Size, Traits, Wanted, Weighting, settings,
};
use std::sync::Arc;

settings! {
    /// Settings of agglomerative clustering.
    pub struct Hierarchical {
        /// number of clusters to cut the tree into
        pub k: usize = 2, in Range::AtLeast(1.0), as "n_clusters";
        /// distance between two clusters
        pub linkage: Linkage = Linkage::Ward, in Range::Any;
        /// distance between two rows; ward takes only euclidean
        pub metric: Metric = Metric::Euclidean, in Range::Any;
        /// merge distance at which to cut the tree; 0: cut into k clusters
        pub height: f64 = 0.0, in Range::AtLeast(0.0), as "distance_threshold";
    }
}

impl Learner for Hierarchical {
    fn name(&self) -> &'static str {
        "hierarchical"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: false, weights: Weighting::None })
            .effort(50.0, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, _start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        if self.linkage == Linkage::Ward && self.metric != Metric::Euclidean {
            return Err(Error::parameter("metric", self.metric.word(), "must be euclidean for linkage=ward"));
        }
        let points = data.points()?;
        let (n, d) = (points.len(), points.columns());
        if self.height == 0.0 {
            check_rows("hierarchical", self.k, data)?;
        }
        let table = merges(points, self.linkage, self.metric, run)?;
        let done = match self.height > 0.0 {
            true => table.partition_point(|m| m.height <= self.height),
            false => n - self.k,
        };
        let labels = cut(n, &table[..done]);
        let k = n - done;
        let mut counts = vec![0.0; k];
        labels.iter().for_each(|&l| counts[l as usize] += 1.0);
        let (mut means, hold) = run.memory.filled(k.saturating_mul(d), 0.0, "means of the clusters")?;
        for (i, &label) in labels.iter().enumerate() {
            let l = label as usize;
            add_row(points, i, 1.0 / counts[l], &mut means[l * d..(l + 1) * d]);
        }
        drop(hold);
        let codebook = Codebook::new(data.features.clone(), means, self.metric, None)?;
        let mut certificate = Certificate { steps: table.len() as u64, ..Certificate::direct() };
        let nearest = Prediction::of(&codebook, &data.inputs, run)?.classes(run)?;
        let differ = nearest.iter().zip(&labels).filter(|(a, b)| a != b).count();
        certificate.fact("clusters", k as f64);
        certificate.fact("rows nearer to another mean", differ as f64);
        Ok(Fitted { machine: Arc::new(Hierarchy { codebook, merges: table, labels }), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, d) = (size.rows as f64, size.columns as f64);
        let bytes = if self.linkage == Linkage::Single { 48.0 * n } else { 4.0 * n * n + 1024.0 * n };
        let advice = (bytes > 8e9 && self.linkage != Linkage::Single)
            .then(|| "the distance matrix is large; kmeans and linkage=single need none".into());
        Plan { fit: n * n * (2.0 * d + 8.0), predict: 2.0 * d * self.k as f64, bytes, advice }
    }
}

/// A tree of merges and the means of the clusters it was cut into.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    codebook: Codebook,
    merges: Vec<Merge>,
    labels: Vec<u32>,
}

impl Hierarchy {
    /// The kind of its record.
    pub const KIND: &'static str = "hierarchy";

    /// A machine from plain data; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let codebook = Codebook::read(record.part("codebook")?)?;
        let labels = record.ids("labels")?.to_vec();
        let n = labels.len();
        if n == 0 || labels.iter().any(|&l| l as usize >= codebook.len()) {
            return Err(record.broken("expected a known cluster for each row"));
        }
        let mut sizes = vec![1usize; n];
        let mut merges = Vec::with_capacity(n - 1);
        for (i, row) in record.array_of("merges", &[n - 1, 4])?.chunks_exact(4).enumerate() {
            let whole = row[..2].iter().all(|x| *x >= 0.0 && x.fract() == 0.0 && *x < (n + i) as f64);
            let (left, right) = (row[0] as usize, row[1] as usize);
            // A cluster is merged once; its size is then taken away.
            if !whole || left >= right || sizes[left] == 0 || sizes[right] == 0 || row[2].is_nan() || row[2] < 0.0 {
                return Err(record.broken(format!("merge {i} is not one of two earlier clusters")));
            }
            let size = std::mem::take(&mut sizes[left]) + std::mem::take(&mut sizes[right]);
            if row[3] != size as f64 {
                return Err(record.broken(format!("merge {i} has {size} rows, not {}", row[3])));
            }
            sizes.push(size);
            merges.push(Merge { left, right, height: row[2], size });
        }
        Ok(Hierarchy { codebook, merges, labels })
    }

    /// All merges by height, as a dendrogram draws them.
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// The cluster of each training row, numbered by their first rows.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The clusters of the training rows if the tree were cut into `k`.
    pub fn cut(&self, k: usize) -> Vec<u32> {
        let n = self.labels.len();
        cut(n, &self.merges[..n - k.clamp(1, n)])
    }
}

impl Machine for Hierarchy {
    fn inputs(&self) -> &Features {
        self.codebook.inputs()
    }

    fn outputs(&self) -> &Outputs {
        self.codebook.outputs()
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        self.codebook.apply(inputs, run)
    }

    fn record(&self) -> Record {
        let numbers = |m: &Merge| [m.left as f64, m.right as f64, m.height, m.size as f64];
        let table: Vec<f64> = self.merges.iter().flat_map(numbers).collect();
        Record::new(Self::KIND, 1)
            .with("codebook", self.codebook.record())
            .with_array("merges", &[self.merges.len(), 4], table)
            .with("labels", self.labels.clone())
    }

    fn facets(&self) -> Facets<'_> {
        Facets { gradient: self.codebook.facets().gradient, ..Facets::default() }
    }
}
