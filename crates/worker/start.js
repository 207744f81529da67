// Starts the worker; what it says first tells the page that it listens.
import init from "./loopwright-worker.js";
await init({ module_or_path: new URL("./loopwright-worker_bg.wasm", import.meta.url) });
