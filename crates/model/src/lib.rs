//! Documents: graphs, catalogue, scenarios; edits with exact inverses; validation; import and export.
