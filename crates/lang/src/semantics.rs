//! Where the two profiles differ: one plain struct of named choices, consulted at the few points that need it.

/// Whose rules a flow runs by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Profile {
    /// The guide (`documented`).
    #[default]
    #[serde(rename = "documented")]
    Documented,
    /// MemberJunction 5.51.3, bug for bug (`mj-5.51.3`).
    #[serde(rename = "mj-5.51.3")]
    Mj5513,
}

impl Profile {
    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Mj5513 => "mj-5.51.3",
        }
    }

    /// The profile of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Documented, Self::Mj5513].into_iter().find(|profile| profile.name() == name)
    }
}

/// How object keys are ordered (language.md, ruling 54).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOrder {
    /// As in the file.
    File,
    /// As JavaScript orders them: integer-like keys first.
    JavaScript,
}

/// What `maxIterations: 0` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroIterations {
    /// No limit but the engine's own.
    Unlimited,
    /// No iteration at all.
    None,
}

/// The named choices of a profile. There are only two constructors' worth of them: [`Semantics::of`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// Which profile this is.
    pub profile: Profile,
    /// Order of object keys.
    pub key_order: KeyOrder,
    /// What `maxIterations: 0` means.
    pub max_iterations_zero: ZeroIterations,
}

impl Semantics {
    /// The choices of `profile`.
    pub fn of(profile: Profile) -> Self {
        match profile {
            Profile::Documented => Self { profile, key_order: KeyOrder::File, max_iterations_zero: ZeroIterations::Unlimited },
            Profile::Mj5513 => Self { profile, key_order: KeyOrder::JavaScript, max_iterations_zero: ZeroIterations::None },
        }
    }
}
