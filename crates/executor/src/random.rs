//! Simulated chance. Every draw has a key of its own, so that editing one step never changes what another one draws.

use sha2::{Digest, Sha256};

/// What a draw is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// How long a call takes.
    Latency,
    /// Whether a call fails.
    Failure,
    /// Whether a model's answer is not JSON.
    Malformed,
    /// One of the twelve numbers that a normally spread one is the sum of.
    Part(u8),
    /// How long a task waits before another attempt.
    Delay,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Failure => "failure",
            Self::Malformed => "malformed",
            Self::Part(_) => "part",
            Self::Delay => "delay",
        }
    }
}

/// The key of a draw.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    /// The scenario's seed.
    pub seed: &'a str,
    /// The step's ID, or its name.
    pub step: &'a str,
    /// The numbers of the loops around the call, outermost first.
    pub path: &'a [u64],
    /// Which attempt, from 1.
    pub attempt: u32,
    /// What for.
    pub purpose: Purpose,
}

impl Key<'_> {
    /// The first 8 bytes of SHA-256 over the parts, each with its length before it.
    pub fn bits(&self) -> u64 {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        part(self.seed.as_bytes());
        part(self.step.as_bytes());
        let path: Vec<u8> = self.path.iter().flat_map(|index| index.to_be_bytes()).collect();
        part(&path);
        part(&self.attempt.to_be_bytes());
        part(self.purpose.name().as_bytes());
        if let Purpose::Part(number) = self.purpose {
            part(&[number]);
        }
        hash.finalize().iter().take(8).fold(0, |bits, byte| (bits << 8) | u64::from(*byte))
    }

    /// A number from 0 up to, not including, 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double exactly")]
    pub fn uniform(&self) -> f64 {
        (self.bits() >> 11) as f64 / 9_007_199_254_740_992.0
    }
}

impl Key<'_> {
    /// A normally spread number of mean 0 and deviation 1: twelve uniform ones less six, so never beyond six.
    pub fn normal(&self) -> f64 {
        (0..12).map(|number| Self { purpose: Purpose::Part(number), ..*self }.uniform()).sum::<f64>() - 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_draw_has_its_mean_and_its_spread() {
        let draws: Vec<f64> =
            (0..2_000).map(|index| Key { seed: "s", step: "x", path: &[index], attempt: 1, purpose: Purpose::Latency }.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 2_000.0;
        let spread = draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / 2_000.0;
        assert!(mean.abs() < 0.1 && (spread - 1.0).abs() < 0.15, "{mean} {spread}");
    }

    #[test]
    fn the_same_key_draws_the_same_for_ever() {
        let draw = |seed, step, path: &[u64], attempt, purpose| Key { seed, step, path, attempt, purpose }.bits();
        use Purpose::{Failure, Latency};
        let drawn = [
            draw("", "", &[], 1, Latency),
            draw("seed", "Send", &[], 1, Latency),
            draw("seed", "Send", &[0], 1, Latency),
            draw("seed", "Send", &[0], 2, Latency),
            draw("seed", "Send", &[0], 1, Failure),
            draw("seed", "Send", &[1], 1, Failure),
            draw("seed", "Send", &[1, 2], 1, Failure),
            draw("seed", "Sen", &[0], 1, Failure),
            draw("dees", "Send", &[0], 1, Failure),
            draw("seed", "Émile", &[9], 3, Failure),
        ];
        assert_eq!(drawn, FIXED);
    }

    const FIXED: [u64; 10] = [
        8461096025087261707,
        17744541793218091601,
        1500587822740743461,
        3651137674850811139,
        13721325146926144993,
        12389926228459571005,
        18248276403224168354,
        15307077674126765779,
        14338200168666273040,
        1995903230100092160,
    ];

    #[test]
    fn uniform_stays_below_one_and_spreads() {
        let mut sum = 0.0;
        for index in 0..1_000 {
            let value = Key { seed: "s", step: "x", path: &[index], attempt: 1, purpose: Purpose::Latency }.uniform();
            assert!((0.0..1.0).contains(&value));
            sum += value;
        }
        assert!((sum / 1_000.0 - 0.5).abs() < 0.05);
    }
}
