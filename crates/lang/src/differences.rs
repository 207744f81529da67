//! The catalogue of differences between the two profiles: what the guide says and what the released runtime does instead, and what
//! to change in a flow so that both agree (runtime-5.51.3.md, section 5.1, and the places beyond it).

/// A rule in which the profiles differ. `P01` to `P27` are those of the guide's own list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Rule {
    LoopOutputs = 1,
    WhileOutputs,
    PayloadPrefix,
    ItemVariable,
    IndexVariable,
    ZeroIterations,
    NegativeIterations,
    BeyondTheLimit,
    NotAnArray,
    FailedIteration,
    LoopResults,
    LoopVariablesInPayload,
    AgentTexts,
    AgentPayload,
    PromptBody,
    Nesting,
    BodyNames,
    Expressions,
    StaticInBody,
    BrokenCondition,
    ParallelPayload,
    WhilePause,
    IterationContext,
    Assigned,
    FailureGoesOn,
    ParallelInFlows,
    WhileDelay,
    FailedAction,
    Retries,
    Timeouts,
    AgentMessage,
    StepResult,
    DeadEnds,
    MergedOutputs,
    ConflictingTargets,
    ListAnswer,
    PlainTexts,
    DashedKeys,
    OutputNames,
    ForbiddenWords,
    BlankCondition,
    KeyOrder,
    OwnMappings,
    BrokenJson,
    TurnParams,
    StepLists,
    Refine,
}

/// What the catalogue says of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The rule.
    pub rule: Rule,
    /// What the guide says and what the runtime does, in a sentence.
    pub what: &'static str,
    /// What to change so that both agree.
    pub mend: &'static str,
    /// Whether the two profiles differ at all: in some places the guide's list is about words, and `documented` already follows the
    /// runtime.
    pub differs: bool,
}

impl Rule {
    /// Its code, `P01` and on.
    pub fn code(self) -> &'static str {
        CODES.get(self as usize - 1).copied().unwrap_or("P00")
    }

    /// The rule of a code.
    pub fn from_code(code: &str) -> Option<Self> {
        let at = CODES.iter().position(|known| *known == code)?;
        CATALOGUE.get(at).map(|entry| entry.rule)
    }

    /// What the catalogue says of it.
    pub fn entry(self) -> &'static Entry {
        CATALOGUE.get(self as usize - 1).unwrap_or(&FIRST)
    }
}

/// The codes, in order.
pub const CODES: [&str; 47] = [
    "P01", "P02", "P03", "P04", "P05", "P06", "P07", "P08", "P09", "P10", "P11", "P12", "P13", "P14", "P15", "P16", "P17", "P18", "P19",
    "P20", "P21", "P22", "P23", "P24", "P25", "P26", "P27", "P28", "P29", "P30", "P31", "P32", "P33", "P34", "P35", "P36", "P37", "P38",
    "P39", "P40", "P41", "P42", "P43", "P44", "P45", "P46", "P47",
];

const fn entry(rule: Rule, what: &'static str, mend: &'static str) -> Entry {
    Entry { rule, what, mend, differs: true }
}

const fn agrees(rule: Rule, what: &'static str) -> Entry {
    Entry { rule, what, mend: "Nothing: both profiles do the same.", differs: false }
}

const FIRST: Entry = entry(
    Rule::LoopOutputs,
    "The guide writes a loop's outputs to the payload after each iteration; MemberJunction 5.51.3 never applies ActionOutputMapping in a loop.",
    "Let the body be a sub-agent that returns what is to be kept, or read the results in a plain step behind the loop.",
);

/// Every rule, in the order of the codes.
pub static CATALOGUE: [Entry; 47] = [
    FIRST,
    entry(
        Rule::WhileOutputs,
        "By the guide a While's outputs change the payload until its condition is false; MemberJunction 5.51.3 never writes them, so the condition never changes and the loop runs to maxIterations.",
        "Let a path lead back to a plain step instead of a While, or let the condition read `results`.",
    ),
    entry(
        Rule::PayloadPrefix,
        "The guide takes `payload.` at the beginning of an output target as the payload itself; MemberJunction 5.51.3 makes a key `payload` inside the payload.",
        "Write the target without `payload.`.",
    ),
    entry(
        Rule::ItemVariable,
        "By the guide itemVariable has a default (item, attempt); MemberJunction 5.51.3 fails the loop where it is missing.",
        "Write itemVariable in the Configuration.",
    ),
    entry(
        Rule::IndexVariable,
        "The guide lets indexVariable name the index; MemberJunction 5.51.3 ignores it and knows only `index`.",
        "Use `index` in the body's mapping.",
    ),
    entry(
        Rule::ZeroIterations,
        "maxIterations 0 has no limit by the guide; in MemberJunction 5.51.3 it is no iteration at all.",
        "Write a limit that is large enough.",
    ),
    entry(
        Rule::NegativeIterations,
        "A maxIterations that is negative or no whole number is an error by the guide; MemberJunction 5.51.3 takes it as it comes and succeeds with fewer iterations or none.",
        "Write a whole number above 0.",
    ),
    entry(
        Rule::BeyondTheLimit,
        "At its limit a loop by the guide says so, also in stepResult.exitReason; MemberJunction 5.51.3 cuts the list without a word.",
        "Write a limit that is large enough, or compare the counts in a condition of your own.",
    ),
    entry(
        Rule::NotAnArray,
        "Where a collection is no list the two fail with different messages, and MemberJunction 5.51.3 does not look at enclosing loops' variables.",
        "Do not compare the message; let collectionPath lead into the payload.",
    ),
    entry(
        Rule::FailedIteration,
        "By the guide an iteration fails when its call does, and ends the loop unless continueOnError is set; in MemberJunction 5.51.3 it counts as done, and all items run.",
        "Set continueOnError to true, and look at what came out behind the loop.",
    ),
    entry(
        Rule::LoopResults,
        "By the guide a Loop agent finds forEachResults and forEachErrors in its payload; MemberJunction 5.51.3 gives it one message and writes nothing.",
        "Let the model read the message about the loop.",
    ),
    entry(
        Rule::LoopVariablesInPayload,
        "In a loop's body the guide shows the payload with the item and the index in it; MemberJunction 5.51.3 does not put them there.",
        "Write the item's variable itself, without `payload.` before it.",
    ),
    entry(
        Rule::AgentTexts,
        "By the guide `{{ }}` parts of a sub-agent's message and its templateParameters are resolved; MemberJunction 5.51.3 passes them on as they are.",
        "Write a message without `{{ }}` and let the sub-agent read its payload.",
    ),
    entry(
        Rule::AgentPayload,
        "By the guide a sub-agent in a loop gets the payload with the loop's variables; in MemberJunction 5.51.3 its whole payload is the item, which is then merged into the flow's.",
        "Let the items hold all that the sub-agent needs.",
    ),
    entry(
        Rule::PromptBody,
        "A loop's body may be a prompt by the guide; MemberJunction 5.51.3 fails such a loop.",
        "Put the prompt into a sub-agent.",
    ),
    entry(
        Rule::Nesting,
        "By the guide inner loops see the outer loops' variables, five levels deep; in MemberJunction 5.51.3 they see only their own, and there is no limit.",
        "Let the items of the outer loop hold what the inner one needs.",
    ),
    entry(
        Rule::BodyNames,
        "In a loop's body MemberJunction 5.51.3 looks texts up by the item's variable and the names item, index, payload and data, and by nothing else; the guide has nine rules.",
        "Use the item's variable, `index` and `payload.` only, each as the whole text.",
    ),
    entry(
        Rule::Expressions,
        "A mapping may hold an expression by the guide (`payload.count + 1`); MemberJunction 5.51.3 takes it as a path and finds nothing.",
        "Compute the value in a step before.",
    ),
    entry(
        Rule::StaticInBody,
        "`static:` stands before fixed text everywhere by the guide; in a loop's body MemberJunction 5.51.3 leaves it in the value.",
        "Write the text without `static:`, if it is no reference by itself.",
    ),
    entry(
        Rule::BrokenCondition,
        "A While whose condition cannot be evaluated fails by the guide; in MemberJunction 5.51.3 it ends as if the condition were false, and succeeds.",
        "Let the condition hold for what is missing, e.g. with `?.`, and use only payload, results and errors in it.",
    ),
    entry(
        Rule::ParallelPayload,
        "By the guide the results of a parallel loop are applied in index order; in MemberJunction 5.51.3 the payload of the last iteration is all that stays.",
        "Run the loop one after the other.",
    ),
    entry(
        Rule::WhilePause,
        "By the guide a pause follows only if there is another iteration; a While of MemberJunction 5.51.3 pauses before it evaluates its condition.",
        "Nothing but time differs.",
    ),
    agrees(Rule::IterationContext, "The guide names an interface IterationContext that no runtime uses."),
    entry(
        Rule::Assigned,
        "By the guide a step's ActionID is enough; in MemberJunction 5.51.3 the action must be assigned to the agent, too.",
        "Assign the action to the agent.",
    ),
    entry(
        Rule::FailureGoesOn,
        "By the guide a failed step lets only a conditional path be followed; in MemberJunction 5.51.3 its unconditional paths are open as well.",
        "Give every path behind the step a condition on stepResult.step.",
    ),
    agrees(
        Rule::ParallelInFlows,
        "The guide names executionMode and maxConcurrency for Loop agents only; flows know them in both profiles.",
    ),
    agrees(Rule::WhileDelay, "The guide leaves delayBetweenIterationsMs out of While; both profiles read it."),
    entry(
        Rule::FailedAction,
        "An action that reports failure or breaks off fails its step by the guide; in MemberJunction 5.51.3 the step is done, and outputs that came are written.",
        "Look at the action's outputs, or at stepResult.priorStepResult[0].resultCode, in the conditions behind it.",
    ),
    entry(
        Rule::Retries,
        "OnErrorBehavior and RetryCount decide by the guide what follows a failure; MemberJunction 5.51.3 never reads them.",
        "Let a path with a condition lead back to the step.",
    ),
    entry(
        Rule::Timeouts,
        "TimeoutSeconds ends an attempt by the guide; MemberJunction 5.51.3 never reads it.",
        "Let the action keep a limit of its own.",
    ),
    entry(
        Rule::AgentMessage,
        "A sub-agent that ends with a message to the user is done by the guide; in MemberJunction 5.51.3 it ends the agent that called it, too.",
        "Set ChatHandlingOption on the sub-agent, or let it not ask.",
    ),
    entry(
        Rule::StepResult,
        "stepResult has one shape by the guide; in MemberJunction 5.51.3 each kind of step has its own, and a loop's holds no results.",
        "Use only stepResult.step === 'Failed' and stepResult.errorMessage.",
    ),
    entry(
        Rule::DeadEnds,
        "Where no step can be gone to, a run completes by the guide; MemberJunction 5.51.3 tries ten times and fails.",
        "Let a path lead to an active step, or to none.",
    ),
    entry(
        Rule::MergedOutputs,
        "An output replaces what is at its target by the guide; MemberJunction 5.51.3 merges it: objects key by key, lists place by place, and brackets are part of a key.",
        "Write to a place that is not there yet, by names without brackets.",
    ),
    entry(
        Rule::ConflictingTargets,
        "An output target that leads through a scalar or a list fails the step by the guide; MemberJunction 5.51.3 replaces the scalar, or writes nothing.",
        "Write to a place of its own.",
    ),
    entry(
        Rule::ListAnswer,
        "An answer that is a list merges nothing by the guide; MemberJunction 5.51.3 merges its elements under the keys 0, 1 and on.",
        "Let the prompt answer an object.",
    ),
    entry(
        Rule::PlainTexts,
        "In a plain step MemberJunction 5.51.3 resolves only texts that begin with payload., data., context., conversation. or static:, where there are such; bare names and `{{ }}` stay as they are.",
        "Write `payload.NAME` as the whole text.",
    ),
    entry(
        Rule::DashedKeys,
        "A dash in a path is a subtraction by the guide and part of the key in MemberJunction 5.51.3.",
        "Use keys without dashes.",
    ),
    entry(
        Rule::OutputNames,
        "Of outputs whose names differ only in case the guide takes the one that is written; MemberJunction 5.51.3 takes the first.",
        "Give outputs names of their own.",
    ),
    entry(
        Rule::ForbiddenWords,
        "MemberJunction 5.51.3 refuses a condition in which certain words or signs stand, in texts and names too (class, process., this, braces, semicolons), or that has more than 1,000 characters.",
        "Say it in other words.",
    ),
    entry(
        Rule::BlankCondition,
        "A condition of white space is none by the guide, so the path is open; in MemberJunction 5.51.3 it is false.",
        "Take the condition away.",
    ),
    entry(
        Rule::KeyOrder,
        "Keys keep the file's order by the guide; in MemberJunction 5.51.3 keys that are whole numbers come first.",
        "Do not rely on the order of keys.",
    ),
    entry(
        Rule::OwnMappings,
        "Sub-Agent and Prompt steps have mappings of their own by the guide; MemberJunction 5.51.3 reads them only on Action steps.",
        "Map in an Action step, or by the records that link the agents.",
    ),
    entry(
        Rule::BrokenJson,
        "Mapping or Configuration text that is no JSON object, or a target that is no path, fails the step by the guide; MemberJunction 5.51.3 ignores it, or breaks the run off.",
        "Mend the text.",
    ),
    entry(
        Rule::TurnParams,
        "Parameters of a Loop agent's actions are resolved as mappings by the guide; MemberJunction 5.51.3 passes them on as the model wrote them.",
        "Let the model write the values themselves.",
    ),
    entry(
        Rule::StepLists,
        "flowContext lists every visit by name in the guide; MemberJunction 5.51.3 lists each step once, by ID, and a step that is come to again does not renew stepResult.",
        "Do not count visits by flowContext; keep a count in the payload.",
    ),
    entry(
        Rule::Refine,
        "A Refine step is Loopwright's own; MemberJunction 5.51.3 knows no such step, and a loop in its place would see neither the payload nor the feedback.",
        "Write the attempt and the check as plain steps, with a path back that has a condition.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_code_and_place() {
        for (at, entry) in CATALOGUE.iter().enumerate() {
            assert_eq!(entry.rule as usize, at + 1, "{entry:?}");
            assert_eq!(entry.rule.code(), format!("P{:02}", at + 1));
            assert_eq!(Rule::from_code(entry.rule.code()), Some(entry.rule));
            assert!(entry.what.ends_with('.') && entry.mend.ends_with('.'), "{entry:?}: whole sentences");
        }
    }
}
