//! The methods and functions that expressions know. Everything else is refused by name.

mod functions;
mod lists;
mod math;
mod numbers;
mod texts;

pub(crate) use functions::call_function;
pub(crate) use lists::call_on_list;
pub(crate) use numbers::{call_on_number, integer_text};
pub(crate) use texts::{call_on_text, replace, unit_at};

/// Declares an enum whose variants have the names that stand in expressions.
macro_rules! named {
    ($(#[$doc:meta])* $type:ident { $($variant:ident = $name:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $type { $($variant),* }

        impl $type {
            /// Every one with its name.
            pub(crate) const ALL: &[($type, &str)] = &[$(($type::$variant, $name)),*];

            /// The one of that name.
            pub(crate) fn of(name: &str) -> Option<Self> {
                Self::ALL.iter().find(|(_, known)| *known == name).map(|(known, _)| *known)
            }

            /// Its name.
            pub(crate) fn name(self) -> &'static str {
                Self::ALL.iter().find(|(known, _)| *known == self).map_or("", |(_, name)| name)
            }
        }
    };
}

named! {
    /// A method of a text, a list or a number.
    Method {
        Includes = "includes", StartsWith = "startsWith", EndsWith = "endsWith", IndexOf = "indexOf", LastIndexOf = "lastIndexOf",
        Slice = "slice", Substring = "substring", Split = "split", Trim = "trim", TrimStart = "trimStart", TrimEnd = "trimEnd",
        ToLowerCase = "toLowerCase", ToUpperCase = "toUpperCase", Replace = "replace", ReplaceAll = "replaceAll", PadStart = "padStart",
        PadEnd = "padEnd", Repeat = "repeat", CharAt = "charAt", At = "at", Concat = "concat", Join = "join", Some = "some",
        Every = "every", Find = "find", FindIndex = "findIndex", Filter = "filter", Map = "map", Reduce = "reduce", Flat = "flat",
        FlatMap = "flatMap", ToFixed = "toFixed", ToString = "toString",
    }
}

named! {
    /// A function that is no method of a value.
    Function {
        Number = "Number", String = "String", Boolean = "Boolean", ParseInt = "parseInt", ParseFloat = "parseFloat", IsNaN = "isNaN",
        IsFinite = "isFinite", ObjectKeys = "Object.keys", ObjectValues = "Object.values", ObjectEntries = "Object.entries",
        ArrayIsArray = "Array.isArray", JsonStringify = "JSON.stringify", JsonParse = "JSON.parse",
        Abs = "Math.abs", Acos = "Math.acos", Acosh = "Math.acosh", Asin = "Math.asin", Asinh = "Math.asinh", Atan = "Math.atan",
        Atan2 = "Math.atan2", Atanh = "Math.atanh", Cbrt = "Math.cbrt", Ceil = "Math.ceil", Clz32 = "Math.clz32", Cos = "Math.cos",
        Cosh = "Math.cosh", Exp = "Math.exp", Expm1 = "Math.expm1", Floor = "Math.floor", Fround = "Math.fround", Hypot = "Math.hypot",
        Imul = "Math.imul", Log = "Math.log", Log10 = "Math.log10", Log1p = "Math.log1p", Log2 = "Math.log2", Max = "Math.max",
        Min = "Math.min", Pow = "Math.pow", Round = "Math.round", Sign = "Math.sign", Sin = "Math.sin", Sinh = "Math.sinh",
        Sqrt = "Math.sqrt", Tan = "Math.tan", Tanh = "Math.tanh", Trunc = "Math.trunc",
    }
}

/// The objects whose functions and constants are known.
pub(crate) const NAMESPACES: [&str; 4] = ["Math", "JSON", "Object", "Array"];

/// `Math.PI` and its kin.
pub(crate) fn constant(name: &str) -> Option<f64> {
    use std::f64::consts;
    Some(match name {
        "Math.PI" => consts::PI,
        "Math.E" => consts::E,
        "Math.LN2" => consts::LN_2,
        "Math.LN10" => consts::LN_10,
        "Math.LOG2E" => consts::LOG2_E,
        "Math.LOG10E" => consts::LOG10_E,
        "Math.SQRT2" => consts::SQRT_2,
        "Math.SQRT1_2" => consts::FRAC_1_SQRT_2,
        _ => return None,
    })
}

impl Method {
    /// At which argument it takes an arrow function, and whether it must.
    pub(crate) fn callback(self) -> Option<(usize, bool)> {
        match self {
            Self::Some | Self::Every | Self::Find | Self::FindIndex | Self::Filter | Self::Map | Self::Reduce | Self::FlatMap => {
                Some((0, true))
            }
            Self::Replace | Self::ReplaceAll => Some((1, false)),
            _ => None,
        }
    }

    /// Whether texts have it.
    pub(crate) fn of_texts(self) -> bool {
        use Method::*;
        !matches!(self, Join | Some | Every | Find | FindIndex | Filter | Map | Reduce | Flat | FlatMap | ToFixed)
    }

    /// Whether lists have it.
    pub(crate) fn of_lists(self) -> bool {
        use Method::*;
        matches!(
            self,
            Includes
                | IndexOf
                | LastIndexOf
                | Join
                | Slice
                | Concat
                | At
                | Some
                | Every
                | Find
                | FindIndex
                | Filter
                | Map
                | Reduce
                | Flat
                | FlatMap
                | ToString
        )
    }
}
