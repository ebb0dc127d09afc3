import { render } from "preact";
import { followLinks } from "./address.ts";
import { App } from "./app.tsx";
import "./base.css";
import { openSession } from "./session.ts";

followLinks();
render(<App />, document.getElementById("console")!);
await openSession();
