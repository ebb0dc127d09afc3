import { render } from "preact";
import { followLinks } from "./address.ts";
import { App } from "./app.tsx";
import "./base.css";
import { ignoreHeldEnter } from "./held-enter.ts";
import { keepPlaces } from "./place.ts";
import { openSession } from "./session.ts";

followLinks();
keepPlaces();
ignoreHeldEnter();
render(<App />, document.getElementById("console")!);
await openSession();
