//! Operators that are not read, and what to do instead.

/// Names of operators that belong together, and advice.
pub(super) const ADVICE: &[(&[&str], &str)] = &[
    (&["If", "Loop", "Scan", "SequenceMap"], "graphs here have no control flow: export the model with it unrolled"),
    (
        &["LSTM", "GRU", "RNN"],
        "recurrent layers are not there yet: unroll them into MatMul, Add, Sigmoid and Tanh before the export",
    ),
    (
        &[
            "QuantizeLinear",
            "DequantizeLinear",
            "DynamicQuantizeLinear",
            "QLinearConv",
            "QLinearMatMul",
            "ConvInteger",
            "MatMulInteger",
        ],
        "export the model before it is quantised",
    ),
    (&["TreeEnsembleClassifier", "TreeEnsembleRegressor"], "trees are not networks: read the model as a machine"),
    (&["TreeEnsemble"], "write the trees as TreeEnsembleClassifier or TreeEnsembleRegressor"),
    (
        &["SVMClassifier", "SVMRegressor"],
        "support vector machines are read where a file ends in one, not inside a network",
    ),
    (
        &["NonZero", "Unique", "Compress", "NonMaxSuppression"],
        "shapes must not depend on the numbers that go in: cut the model before this node",
    ),
    (&["Einsum"], "write it as MatMul, Mul, Transpose and ReduceSum"),
    (&["Attention"], "write it as MatMul, Softmax and MatMul, as exports before version 23 do"),
    (
        &["RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial"],
        "the same input must give the same output: cut the random part out of the model",
    ),
    (
        &["SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss", "Adam", "Adagrad", "Momentum", "Gradient"],
        "losses and training steps are not part of a model here: export it for inference",
    ),
    (
        &[
            "StringNormalizer",
            "StringConcat",
            "StringSplit",
            "RegexFullMatch",
            "TfIdfVectorizer",
            "CategoryMapper",
            "DictVectorizer",
            "CastMap",
            "LabelEncoder",
        ],
        "texts and categories are encoded before the network: cut this part out of the model",
    ),
    (
        &[
            "SequenceAt",
            "SequenceConstruct",
            "SequenceEmpty",
            "SequenceInsert",
            "SequenceErase",
            "SequenceLength",
            "SplitToSequence",
            "ConcatFromSequence",
            "Optional",
            "OptionalGetElement",
            "OptionalHasElement",
        ],
        "only tensors flow here: export the model without sequences and optional values",
    ),
    (
        &["BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitCast"],
        "bitwise operators have no gradient: use arithmetic",
    ),
];
