//! A sans-IO executor for agent flows, its run log, and a simulated driver.
