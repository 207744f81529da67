//! IndexedDB: one store of texts by key.

use idb::{DatabaseEvent, Factory, ObjectStoreParams, Query, TransactionMode};
use wasm_bindgen::JsValue;

const DATABASE: &str = "loopwright";
const STORE: &str = "documents";

/// Why something was not stored or found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The browser has no storage for this page (a private window, a blocked site).
    Missing,
    /// There is no room left.
    Full,
}

async fn open() -> Result<idb::Database, Lack> {
    let factory = Factory::new().map_err(|_| Lack::Missing)?;
    let mut request = factory.open(DATABASE, Some(1)).map_err(|_| Lack::Missing)?;
    request.on_upgrade_needed(|event| {
        if let Ok(database) = event.database() {
            // Only the first version makes a store; a refusal shows when it is used.
            let _ = database.create_object_store(STORE, ObjectStoreParams::new());
        }
    });
    request.await.map_err(|_| Lack::Missing)
}

/// Stores a text under a key.
pub async fn put(key: &str, text: &str) -> Result<(), Lack> {
    let database = open().await?;
    let transaction = database.transaction(&[STORE], TransactionMode::ReadWrite).map_err(|_| Lack::Missing)?;
    let store = transaction.object_store(STORE).map_err(|_| Lack::Missing)?;
    let request = store.put(&JsValue::from_str(text), Some(&JsValue::from_str(key))).map_err(|_| Lack::Full)?;
    request.await.map_err(|_| Lack::Full)?;
    transaction.commit().map_err(|_| Lack::Full)?.await.map_err(|_| Lack::Full)?;
    database.close();
    Ok(())
}

/// The text stored under a key.
pub async fn get(key: &str) -> Result<Option<String>, Lack> {
    let database = open().await?;
    let transaction = database.transaction(&[STORE], TransactionMode::ReadOnly).map_err(|_| Lack::Missing)?;
    let store = transaction.object_store(STORE).map_err(|_| Lack::Missing)?;
    let request = store.get(Query::Key(JsValue::from_str(key))).map_err(|_| Lack::Missing)?;
    let found = request.await.map_err(|_| Lack::Missing)?;
    database.close();
    Ok(found.and_then(|value| value.as_string()))
}
