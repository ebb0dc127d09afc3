import { render } from "preact";
import { followLinks } from "./address.ts";
import { App } from "./app.tsx";
import "./base.css";
import { ignoreRepeatedEnter } from "./ignore-repeated-enter.ts";
import { restoreScrollPositions } from "./scroll-position.ts";
import { openSession } from "./session.ts";

followLinks();
restoreScrollPositions();
ignoreRepeatedEnter();
render(<App />, document.getElementById("console")!);
await openSession();
