//! Windows of the timeline: a tree of rows, and bars that are counted together where they would be too small to see.

use std::collections::BTreeSet;

use crate::{
    compile::Step,
    log::{EventKind, LoopDetail, Row as LogRow, RunLog},
    protocol::{Bar, BarKind, FrameId, FrameKind, Row, RowKind, RunState, State, Timeline},
    simulation::Simulation,
};

/// Bars narrower than this are counted together, in pixels.
const NARROW: u64 = 2;
/// Most rows in one answer.
const ROWS: usize = 400;
/// Most lanes of a parallel loop.
const LANES: usize = 64;

struct Builder<'a> {
    simulation: &'a Simulation,
    log: &'a RunLog,
    from: u64,
    to: u64,
    /// Microseconds that [`NARROW`] pixels stand for.
    narrow: u64,
    now: u64,
    unfolded: BTreeSet<u32>,
    rows: Vec<Row>,
}

impl Simulation {
    /// A window of the timeline.
    pub fn timeline(&self, from_us: u64, to_us: u64, width_px: u32, unfolded: &[FrameId]) -> Timeline {
        let to_us = to_us.max(from_us);
        let mut builder = Builder {
            simulation: self,
            log: self.log(),
            from: from_us,
            to: to_us,
            narrow: (to_us - from_us) * NARROW / u64::from(width_px.max(1)),
            now: self.execution().now(),
            unfolded: unfolded.iter().map(|frame| frame.0).collect(),
            rows: Vec::new(),
        };
        builder.agent(0, 0);
        Timeline { from_us, to_us, end_us: builder.now, rows: builder.rows }
    }
}

impl<'a> Builder<'a> {
    /// The rows of an agent's run.
    fn agent(&mut self, row: u32, depth: u32) {
        let Some(detail) = self.log.agent(row) else { return };
        let compiled = self.simulation.execution().compiled();
        self.waves(row, depth);
        let mut order: Vec<u32> = Vec::new();
        let mut seen = BTreeSet::new();
        let turns: Vec<u32> = detail.parts.iter().copied().filter(|part| self.kind(*part) == Some(FrameKind::Turn)).collect();
        for part in detail.parts.iter().filter_map(|part| self.log.row(*part)).filter(|part| part.kind == FrameKind::Step) {
            if seen.insert(part.step) {
                order.push(part.step);
            }
        }
        for number in order {
            if self.rows.len() >= ROWS {
                return;
            }
            let visits: Vec<u32> =
                detail.parts.iter().copied().filter(|part| self.log.row(*part).is_some_and(|part| part.step == number)).collect();
            let Some(step) = compiled.step_numbered(number) else { continue };
            self.step(step, detail.agent, &visits, depth);
        }
        for turn in turns {
            if self.rows.len() >= ROWS {
                return;
            }
            self.turn(turn, depth);
        }
        // What the outermost run has not come to (yet) has a row all the same.
        if row == 0
            && let Some(agent) = compiled.agents.get(detail.agent as usize)
        {
            let over = self.log.state != crate::protocol::RunState::Running;
            for step in agent.steps.iter().filter(|step| !seen.contains(&step.number)) {
                let kind = if step.kind.is_loop() { RowKind::Loop } else { RowKind::Step };
                let state = if over { State::Skipped } else { State::Pending };
                self.rows.push(Row { depth, kind, step: Some(step.id), graph: Some(agent.graph), state, ..Row::default() });
            }
        }
    }

    /// The waves of a plan, in a row of their own. No other run has batches that are its own.
    fn waves(&mut self, row: u32, depth: u32) {
        if self.simulation.plan.is_none() {
            return;
        }
        let events = self.log.kinds.iter().zip(&self.log.event_rows).zip(self.log.times.iter().zip(&self.log.args));
        let mut bars: Vec<Bar> = Vec::new();
        for ((kind, _), (at, number)) in events.filter(|((_, of), _)| **of == row) {
            let number = u64::from(*number);
            match kind {
                EventKind::BatchStart => bars.push(Bar {
                    start_us: *at,
                    end_us: self.now,
                    state: State::Running,
                    kind: BarKind::Batch,
                    frame: None,
                    index: Some(number),
                }),
                EventKind::BatchEnd => {
                    if let Some(bar) = bars.iter_mut().rev().find(|bar| bar.index == Some(number)) {
                        bar.end_us = *at;
                        bar.state = State::Succeeded;
                    }
                }
                _ => {}
            }
        }
        let state = match self.log.state {
            RunState::Running => State::Running,
            RunState::Failed | RunState::Limit => State::Failed,
            RunState::Cancelled => State::Cancelled,
            _ => State::Succeeded,
        };
        if let Some(last) = bars.last_mut().filter(|bar| matches!(state, State::Failed | State::Cancelled) && bar.end_us == self.now) {
            last.state = state;
        }
        let count = bars.len() as u64;
        bars.retain(|bar| bar.end_us >= self.from && bar.start_us <= self.to);
        self.rows.push(Row { depth, kind: RowKind::Waves, succeeded: count, state, bars, ..Row::default() });
    }

    fn kind(&self, row: u32) -> Option<FrameKind> {
        self.log.row(row).map(|row| row.kind)
    }

    /// The rows of a step: its visits, and what is unfolded below.
    fn step(&mut self, step: &Step, agent: u32, visits: &[u32], depth: u32) {
        let Some(last) = visits.last().copied() else { return };
        let graph = self.simulation.execution().compiled().agents.get(agent as usize).map(|agent| agent.graph);
        let inner: Vec<u32> = visits.iter().filter_map(|visit| self.log.inner(*visit)).collect();
        let rounds: Vec<&'a LoopDetail> = inner.iter().filter_map(|inner| self.log.loop_(*inner)).collect();
        let agents: Vec<u32> = inner.iter().copied().filter(|inner| self.kind(*inner) == Some(FrameKind::Agent)).collect();
        let kind = if step.kind.is_loop() {
            RowKind::Loop
        } else if agents.is_empty() {
            RowKind::Step
        } else {
            RowKind::SubAgent
        };
        let last_inner = inner.last().copied();
        let open = inner.iter().chain(visits).any(|inner| self.unfolded.contains(inner));
        let state = self.log.row(last).map_or(State::Pending, |row| row.state);
        let attempts: Vec<u32> = visits
            .iter()
            .flat_map(|visit| self.log.children(*visit))
            .filter(|child| self.kind(*child) == Some(FrameKind::Attempt))
            .collect();
        let tried_again = attempts.iter().any(|attempt| self.log.row(*attempt).is_some_and(|row| row.index > 0));
        let bars = self.bars(visits, BarKind::Step);
        self.rows.push(Row {
            depth,
            kind,
            step: Some(step.id),
            graph,
            frame: Some(FrameId(last_inner.filter(|_| kind == RowKind::Loop).unwrap_or(last))),
            title: None,
            unfolds: last_inner.map(FrameId),
            open,
            succeeded: rounds.iter().map(|round| round.succeeded).sum(),
            failed: rounds.iter().map(|round| round.failed).sum(),
            of: rounds.last().and_then(|round| round.of),
            state,
            parallel: rounds.last().is_some_and(|round| round.spec.config.batch.is_some()),
            bars,
        });
        if tried_again {
            let bars = self.bars(&attempts, BarKind::Attempt);
            let failed = attempts.iter().filter(|attempt| self.log.row(**attempt).is_some_and(|row| row.state == State::Failed)).count();
            let under =
                Row { depth: depth + 1, kind: RowKind::Attempts, step: Some(step.id), graph, frame: Some(FrameId(last)), ..Row::default() };
            self.rows.push(Row { failed: failed as u64, succeeded: (attempts.len() - failed) as u64, state, bars, ..under });
        }
        if !open {
            return;
        }
        let loops: Vec<u32> = inner.iter().copied().filter(|inner| self.kind(*inner) == Some(FrameKind::Loop)).collect();
        for round in loops {
            if self.rows.len() >= ROWS {
                return;
            }
            self.round(round, Some(step), graph, depth + 1);
        }
        for agent in agents {
            if self.rows.len() >= ROWS {
                return;
            }
            self.agent(agent, depth + 1);
        }
    }

    /// The rows under a loop: its iterations, or the lanes they share, and agents that are unfolded.
    fn round(&mut self, round: u32, step: Option<&Step>, graph: Option<loopwright_model::EntityId>, depth: u32) {
        let Some(detail) = self.log.loop_(round) else { return };
        let head = Row {
            depth,
            step: step.map(|step| step.id),
            graph,
            frame: Some(FrameId(round)),
            succeeded: detail.succeeded,
            failed: detail.failed,
            of: detail.of,
            state: self.log.row(round).map_or(State::Pending, |row| row.state),
            parallel: detail.spec.config.batch.is_some(),
            ..Row::default()
        };
        match detail.spec.config.batch {
            None => {
                let mut bars = self.bars(&detail.iterations, BarKind::Iteration);
                if detail.spec.config.delay > 0 {
                    self.delays(&detail.iterations, 1, &mut bars);
                }
                self.rows.push(Row { kind: RowKind::Iterations, bars, ..head });
            }
            Some(size) => {
                let lanes = size.min(LANES).min(detail.iterations.len().max(1));
                for lane in 0..lanes {
                    let mine: Vec<u32> = detail.iterations.iter().copied().skip(lane).step_by(size.max(1)).collect();
                    let mut bars = self.bars(&mine, BarKind::Iteration);
                    if lane == 0 && detail.spec.config.delay > 0 {
                        self.delays(&detail.iterations, size.max(1), &mut bars);
                    }
                    let kind = RowKind::Lane(u32::try_from(lane).unwrap_or(0));
                    self.rows.push(Row { kind, bars, ..head.clone() });
                }
            }
        }
        let open: Vec<u32> =
            self.unfolded.iter().copied().filter(|row| self.log.row(*row).is_some_and(|found| found.parent == round)).collect();
        for iteration in open {
            if let Some(agent) = self.log.inner(iteration) {
                let row = self.log.row(agent);
                let name = row.and_then(|row| self.log.agents.get(row.detail as usize)).and_then(|detail| {
                    self.simulation.execution().compiled().agents.get(detail.agent as usize).map(|agent| agent.name.as_str().to_owned())
                });
                let bars = self.bars(&[iteration], BarKind::Iteration);
                let state = row.map_or(State::Pending, |row| row.state);
                self.rows.push(Row {
                    depth: depth + 1,
                    kind: RowKind::SubAgent,
                    frame: Some(FrameId(iteration)),
                    title: name,
                    unfolds: Some(FrameId(iteration)),
                    open: true,
                    state,
                    bars,
                    ..Row::default()
                });
                self.agent(agent, depth + 2);
            }
        }
    }

    /// The row of a loop agent's turn.
    fn turn(&mut self, turn: u32, depth: u32) {
        let Some(row) = self.log.row(turn) else { return };
        let inner = self.log.inner(turn);
        let round = inner.and_then(|inner| self.log.loop_(inner));
        let open = inner.is_some_and(|inner| self.unfolded.contains(&inner) || self.unfolded.contains(&turn));
        let title = row.result.get("name").and_then(loopwright_lang::Value::as_str).map(str::to_owned);
        let bars = self.bars(&[turn], BarKind::Step);
        self.rows.push(Row {
            depth,
            kind: RowKind::Turn,
            frame: Some(FrameId(turn)),
            title,
            unfolds: inner.map(FrameId),
            open,
            succeeded: round.map_or(0, |round| round.succeeded),
            failed: round.map_or(0, |round| round.failed),
            of: round.and_then(|round| round.of),
            state: row.state,
            parallel: round.is_some_and(|round| round.spec.config.batch.is_some()),
            bars,
            ..Row::default()
        });
        if let (true, Some(inner)) = (open, inner) {
            match self.kind(inner) {
                Some(FrameKind::Loop) => self.round(inner, None, None, depth + 1),
                _ => self.agent(inner, depth + 1),
            }
        }
    }

    fn end(&self, row: &LogRow) -> u64 {
        if row.state == State::Running { self.now } else { row.end }
    }

    /// The bars of rows that began one after the other and do not overlap.
    fn bars(&self, rows: &[u32], kind: BarKind) -> Vec<Bar> {
        // Only those that touch the window: they are in order.
        let first = rows.partition_point(|row| self.log.row(*row).is_some_and(|row| self.end(row) < self.from));
        let mut bars: Vec<Bar> = Vec::new();
        let mut single: Option<Bar> = None;
        for number in rows.get(first..).unwrap_or_default() {
            let Some(row) = self.log.row(*number) else { continue };
            if row.start > self.to {
                break;
            }
            let end = self.end(row);
            let index = match kind {
                BarKind::Iteration | BarKind::Batch => Some(u64::from(row.index)),
                BarKind::Attempt => Some(u64::from(row.index) + 1),
                _ => None,
            };
            let bar = Bar { start_us: row.start, end_us: end, state: row.state, kind, frame: Some(FrameId(*number)), index };
            if end - row.start >= self.narrow || self.narrow == 0 {
                bars.extend(single.take());
                bars.push(bar);
                continue;
            }
            match &mut single {
                Some(held) if row.start.saturating_sub(held.end_us) <= self.narrow => {
                    let (count, failed) = match held.kind {
                        BarKind::Aggregate { count, failed } => (count, failed),
                        _ => (1, u64::from(held.state == State::Failed)),
                    };
                    held.kind = BarKind::Aggregate { count: count + 1, failed: failed + u64::from(row.state == State::Failed) };
                    held.end_us = held.end_us.max(end);
                    if row.state == State::Failed || row.state == State::Running {
                        held.state = row.state;
                    }
                }
                _ => bars.extend(single.replace(bar)),
            }
        }
        bars.extend(single);
        bars
    }

    /// The pauses between iterations, or between batches of so many, where they are wide enough to see.
    fn delays(&self, iterations: &[u32], size: usize, bars: &mut Vec<Bar>) {
        if bars.len() > 2_000 {
            return;
        }
        let mut batch_end = 0;
        for (at, number) in iterations.iter().enumerate() {
            let Some(row) = self.log.row(*number) else { continue };
            if at > 0 && at % size == 0 && row.start > batch_end {
                let wide = row.start - batch_end >= self.narrow.max(1);
                if wide && batch_end <= self.to && row.start >= self.from {
                    bars.push(Bar {
                        start_us: batch_end,
                        end_us: row.start,
                        state: State::Succeeded,
                        kind: BarKind::Delay,
                        frame: None,
                        index: None,
                    });
                }
            }
            batch_end = if at % size == 0 { self.end(row) } else { batch_end.max(self.end(row)) };
        }
        bars.sort_by_key(|bar| bar.start_us);
    }
}
