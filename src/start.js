// Starts the app: the build names its files in this script's tag.
const { js, wasm } = document.querySelector("script[data-js]").dataset;
const starting = document.getElementById("starting");
try {
  const { default: init } = await import(new URL(js, document.baseURI));
  await init({ module_or_path: new URL(wasm, document.baseURI) });
  starting.remove();
  document.documentElement.dataset.app = "started";
} catch (error) {
  starting.textContent = "Loopwright could not start. Reload the page; if that does not help, your browser may be too old for it.";
  throw error;
}
