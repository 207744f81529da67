//! Where runs of the two profiles go different ways: named choices, as [`loopwright_lang::Semantics`] has them for texts.

use loopwright_lang::Profile;

/// What follows a failed step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterFailure {
    /// What `OnErrorBehavior` says: recovery paths, further attempts, or on as after success.
    OnErrorBehavior,
    /// Its paths are tried like any others; attempts and time limits do not count.
    Paths,
}

/// What a loop's body writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopWrites {
    /// What its output mapping says.
    ByMapping,
    /// An agent's final payload is merged; everything else is lost. A failed call is an iteration like any other.
    AgentPayloads,
}

/// What a loop's body sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodySees {
    /// The payload with the loop's variables in it; loops inside see them too.
    PayloadWithVariables,
    /// An agent gets the item as its payload (the payload, where the item is falsy).
    Item,
}

/// What a While does whose condition cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnclearCondition {
    /// It fails.
    Fails,
    /// It ends as if the condition were false.
    Ends,
}

/// What happens where an agent cannot start or go on: no start, an open path to a step that is not active or not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadEnd {
    /// Without a start the run fails; with an inactive step ahead it completes.
    Completes,
    /// The run fails after ten tries.
    TenTries,
}

/// The shape of `stepResult`, and the lists of `flowContext`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepResults {
    /// One shape for all steps; the lists hold every visit.
    OneShape,
    /// A shape for each kind of step; each step stands once in the lists, and the last of them gives `stepResult`.
    ByKind,
}

/// The choices of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// What follows a failed step.
    pub after_failure: AfterFailure,
    /// What a loop's body writes.
    pub loop_writes: LoopWrites,
    /// What a loop's body sees.
    pub body_sees: BodySees,
    /// What a While does whose condition cannot be evaluated.
    pub unclear_condition: UnclearCondition,
    /// What happens where there is no way on.
    pub dead_end: DeadEnd,
    /// The shape of results.
    pub step_results: StepResults,
}

impl Rules {
    /// The choices of `profile`.
    pub fn of(profile: Profile) -> Self {
        match profile {
            Profile::Documented => Self {
                after_failure: AfterFailure::OnErrorBehavior,
                loop_writes: LoopWrites::ByMapping,
                body_sees: BodySees::PayloadWithVariables,
                unclear_condition: UnclearCondition::Fails,
                dead_end: DeadEnd::Completes,
                step_results: StepResults::OneShape,
            },
            Profile::Mj5513 => Self {
                after_failure: AfterFailure::Paths,
                loop_writes: LoopWrites::AgentPayloads,
                body_sees: BodySees::Item,
                unclear_condition: UnclearCondition::Ends,
                dead_end: DeadEnd::TenTries,
                step_results: StepResults::ByKind,
            },
        }
    }
}
