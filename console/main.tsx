import { render } from "preact";
import { followLinks } from "./address.ts";
import { App } from "./app.tsx";
import "./base.css";
import { keepPlaces } from "./place.ts";
import { openSession } from "./session.ts";

followLinks();
keepPlaces();
render(<App />, document.getElementById("console")!);
await openSession();
