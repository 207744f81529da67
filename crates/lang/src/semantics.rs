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

/// What a condition's text may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionText {
    /// What the grammar takes; a blank one holds.
    Grammar,
    /// What the grammar takes and no forbidden word is found in, texts and property names included; 1,000 characters at most;
    /// a blank one does not hold.
    ForbiddenWords,
}

/// Which own keys of objects an expression does not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenKeys {
    /// It sees them all.
    None,
    /// `eval` and `Function` are taken out.
    HostNames,
}

impl HiddenKeys {
    /// Whether `key` is hidden.
    pub fn hides(self, key: &str) -> bool {
        self == Self::HostNames && matches!(key, "eval" | "Function")
    }
}

/// How texts of an input mapping resolve, outside loop bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainInput {
    /// By the nine rules of language.md.
    Rules,
    /// By their prefix (`payload. data. context. static: conversation.`), otherwise as they are.
    Prefixes,
}

/// How texts of an input mapping resolve in a loop body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopInput {
    /// By the nine rules of language.md.
    Rules,
    /// By the names `item`, `index`, `payload`, `data` and the item variable, and `{{ }}` around such a reference.
    Names,
}

/// What a step's message text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageText {
    /// A template.
    Template,
    /// Passed on as it is.
    Verbatim,
}

/// How an output mapping writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputWriter {
    /// Each value to its target, all or nothing; values replace what is there.
    Targets,
    /// All values as one change that is merged into the payload: lists by index, objects key by key; brackets are part of a key.
    Updates,
}

/// The named choices of a profile. There are only two constructors' worth of them: [`Semantics::of`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// Which profile this is.
    pub profile: Profile,
    /// Order of object keys.
    pub key_order: KeyOrder,
    /// What a condition's text may hold.
    pub condition_text: ConditionText,
    /// Which own keys an expression does not see.
    pub hidden_keys: HiddenKeys,
    /// How input mappings resolve outside loop bodies.
    pub plain_input: PlainInput,
    /// How input mappings resolve in loop bodies.
    pub loop_input: LoopInput,
    /// What a step's message text is.
    pub message_text: MessageText,
    /// How an output mapping writes.
    pub output_writer: OutputWriter,
}

impl Semantics {
    /// The choices of `profile`.
    pub fn of(profile: Profile) -> Self {
        match profile {
            Profile::Documented => Self {
                profile,
                key_order: KeyOrder::File,
                condition_text: ConditionText::Grammar,
                hidden_keys: HiddenKeys::None,
                plain_input: PlainInput::Rules,
                loop_input: LoopInput::Rules,
                message_text: MessageText::Template,
                output_writer: OutputWriter::Targets,
            },
            Profile::Mj5513 => Self {
                profile,
                key_order: KeyOrder::JavaScript,
                condition_text: ConditionText::ForbiddenWords,
                hidden_keys: HiddenKeys::HostNames,
                plain_input: PlainInput::Prefixes,
                loop_input: LoopInput::Names,
                message_text: MessageText::Verbatim,
                output_writer: OutputWriter::Updates,
            },
        }
    }
}
