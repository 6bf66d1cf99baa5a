//! The functions and operators (`PGBENCH_FUNCTIONS` of src/bin/pgbench/exprparse.y).

/// `PgBenchFunction`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are called as in a script, or as the operator is")]
pub enum Function {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Eq,
    Ne,
    Le,
    Lt,
    BitAnd,
    BitOr,
    BitXor,
    LeftShift,
    RightShift,
    And,
    Or,
    Not,
    Is,
    Case,
    Abs,
    Least,
    Greatest,
    Debug,
    Pi,
    Sqrt,
    Ln,
    Exp,
    Int,
    Double,
    Random,
    RandomGaussian,
    RandomExponential,
    RandomZipfian,
    Pow,
    HashMurmur2,
    HashFnv1a,
    Permute,
}

/// How many arguments a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arguments {
    /// so many
    Exactly(usize),
    /// one or more
    Some,
    /// one, and a seed where it is not `:default_seed`
    Hash,
}

/// What scripts call; of any case.
const NAMED: [(&str, Function, Arguments); 20] = [
    ("mod", Function::Mod, Arguments::Exactly(2)),
    ("abs", Function::Abs, Arguments::Exactly(1)),
    ("least", Function::Least, Arguments::Some),
    ("greatest", Function::Greatest, Arguments::Some),
    ("debug", Function::Debug, Arguments::Exactly(1)),
    ("pi", Function::Pi, Arguments::Exactly(0)),
    ("sqrt", Function::Sqrt, Arguments::Exactly(1)),
    ("ln", Function::Ln, Arguments::Exactly(1)),
    ("exp", Function::Exp, Arguments::Exactly(1)),
    ("int", Function::Int, Arguments::Exactly(1)),
    ("double", Function::Double, Arguments::Exactly(1)),
    ("random", Function::Random, Arguments::Exactly(2)),
    ("random_gaussian", Function::RandomGaussian, Arguments::Exactly(3)),
    ("random_exponential", Function::RandomExponential, Arguments::Exactly(3)),
    ("random_zipfian", Function::RandomZipfian, Arguments::Exactly(3)),
    ("pow", Function::Pow, Arguments::Exactly(2)),
    ("power", Function::Pow, Arguments::Exactly(2)),
    ("hash", Function::HashMurmur2, Arguments::Hash),
    ("hash_murmur2", Function::HashMurmur2, Arguments::Hash),
    ("hash_fnv1a", Function::HashFnv1a, Arguments::Hash),
];

impl Function {
    /// A function by its name.
    pub(super) fn find(name: &str) -> Option<(Self, Arguments)> {
        let permute = ("permute", Self::Permute, Arguments::Exactly(3));
        let mut all = NAMED.iter().chain([&permute]);
        all.find(|(known, ..)| known.eq_ignore_ascii_case(name)).map(|(_, function, arguments)| (*function, *arguments))
    }
}
