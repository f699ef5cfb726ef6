/** Runs the command from its sources. */
import { main } from "../../src/cli/main.ts";

await main(process.argv.slice(2));
