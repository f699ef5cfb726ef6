/** The command with a defect: an exception outside any call once the model has been asked. */
import { main } from "../../src/cli/main.ts";

const asked = setInterval(() => {
  if (!process.getActiveResourcesInfo().includes("TCPSocketWrap")) return;
  clearInterval(asked);
  throw new Error("a defect, \x1b[2Jprovoked");
}, 5);
asked.unref();

await main(process.argv.slice(2));
