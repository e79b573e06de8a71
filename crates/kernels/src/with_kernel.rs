//! A learner with a kernel given as a value, in place of one chosen by its settings: kernels written in code come in here.

use crate::detector::{OneClassSvm, Svdd};
use crate::kernel::Kernel;
use crate::nu_svc::NuSvc;
use crate::svc::Svc;
use crate::svr::{NuSvr, Svr};
use base::{Dataset, Fitted, Learner, Param, Plan, Record, Result, Run, Settings, Size, Traits, Value};

/// A learner that takes any kernel.
pub trait KernelLearner: Learner + Clone + 'static {
    /// Makes a machine of data that fit its needs, with this kernel.
    fn learn_with(&self, kernel: Kernel, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted>;
}

/// A learner and the kernel it works with; the kernel its settings speak of does not count.
#[derive(Debug, Clone)]
pub struct WithKernel<L> {
    /// The learner.
    pub learner: L,
    /// The kernel.
    pub kernel: Kernel,
}

impl<L: KernelLearner> Settings for WithKernel<L> {
    fn params(&self) -> Vec<Param> {
        self.learner.params()
    }

    fn get(&self, name: &str) -> Result<Value> {
        self.learner.get(name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<()> {
        self.learner.set(name, value)
    }
}

impl<L: KernelLearner> Learner for WithKernel<L> {
    fn name(&self) -> &'static str {
        self.learner.name()
    }

    fn traits(&self) -> Traits<'_> {
        // The kernel is not one of the settings, so that what the learner shares between settings does not hold here.
        Traits { many: None, partial: None, ..self.learner.traits() }
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        self.learner.learn_with(self.kernel.clone(), data, start, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        self.learner.plan(size)
    }
}

macro_rules! kernel_learners {
    ($($type:ty),+) => {
        $(impl KernelLearner for $type {
            fn learn_with(&self, kernel: Kernel, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
                self.with(kernel, data, start, run)
            }
        })+
    };
}

kernel_learners!(Svc, NuSvc, Svr, NuSvr, OneClassSvm, Svdd);
