import { useRef, useState } from "preact/hooks";
import { CallError } from "../../api/ask.ts";
import type { InputOf, ResultOf } from "../../api/verb-types.ts";
import { useAct } from "../../parts/act.tsx";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { AreaField, CheckField, SelectField, TextField } from "../../parts/fields.tsx";
import { CURRENCIES } from "./currencies.ts";
import { guessMeanings, type Meaning, readColumns } from "./read-columns.ts";

interface InvoiceFormProps {
  readonly span: { readonly from: string; readonly to: string };
  readonly about: Pick<InputOf<"ledger compare">, "time_zone" | "org" | "source" | "credential">;
  readonly onCompared: (result: ResultOf<"ledger compare"> | undefined) => void;
}

const KEYS = { order: "the vendor's number of an order", transaction: "our transaction id", day: "a day" };
type Key = keyof typeof KEYS;
const OPTIONAL = { amount: "Amount", currency: "Currency", quantity: "Quantity" } as const;

/** Takes an invoice as CSV, pasted, dropped or chosen, and asks what its columns mean. */
export function InvoiceForm({ span, about, onCompared }: InvoiceFormProps) {
  const { isBusy, error, run } = useAct("ledger compare");
  const [text, setText] = useState("");
  const [isOver, setOver] = useState(false);
  const [key, setKey] = useState<Key>("order");
  const [meant, setMeant] = useState<Readonly<Partial<Record<Meaning, string>>>>({});
  const [currency, setCurrency] = useState("");
  const [hasCommas, setCommas] = useState(false);
  const { columns } = readColumns(text);
  /** Counts what is changed, chosen and sent: an answer is shown only under what it is of, and the last act wins. */
  const stands = useRef(0);
  const [isReading, setReading] = useState(false);
  /** Why the file that was chosen last is not what is in the field. */
  const [unread, setUnread] = useState<CallError>();
  const fileField = useRef<HTMLInputElement>(null);

  function change<Value>(set: (value: Value) => void): (value: Value) => void {
    return (value) => {
      stands.current += 1;
      onCompared(undefined);
      setReading(false);
      setUnread(undefined);
      set(value);
    };
  }

  const take = change((csv: string): void => {
    const head = readColumns(csv);
    const guessed = guessMeanings(head);
    setText(csv);
    setMeant(guessed);
    setKey((["transaction", "order", "day"] as const).find((one) => guessed[one] !== undefined) ?? "order");
    // Where a semicolon divides the columns, a comma mostly divides the numbers.
    setCommas(head.delimiter === ";");
  });

  /** Reading it may take long. Whoever does anything else meanwhile does not mean the file any more. */
  async function takeFile(files: FileList | null | undefined): Promise<void> {
    const file = files?.[0];
    if (file === undefined) return;
    const chosen = (stands.current += 1);
    onCompared(undefined);
    setReading(true);
    setUnread(undefined);
    const read = await file.arrayBuffer().catch(() => null);
    if (stands.current !== chosen) return;
    setReading(false);
    if (read !== null) take(decode(new Uint8Array(read)));
    else setUnread(new CallError("invalid", `${file.name} could not be read: it was moved, or may not be opened.`));
  }

  function compare(event: Event): void {
    event.preventDefault();
    const named = ([key, "amount", "currency", "quantity"] as const).filter((one) => meant[one]);
    const map = named.map((one) => `${one}=${meant[one]}`);
    const code = currency.trim().toUpperCase();
    const isNeeded = code !== "" && !meant.currency && !!meant.amount;
    const sent = (stands.current += 1);
    void run({
      invoice: text,
      map,
      ...span,
      ...about,
      ...(isNeeded && { currency: code as "EUR" }),
      decimal_comma: hasCommas,
    }).then((result) => stands.current === sent && onCompared(result));
  }

  const choices = [{ value: "", label: "none" }, ...columns.map((name) => ({ value: name, label: name }))];
  return (
    <form class="stack" onSubmit={compare}>
      <div
        class={isOver ? "money-drop money-drop-over" : "money-drop"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void takeFile(event.dataTransfer?.files);
        }}
      >
        <AreaField
          label="The invoice as CSV"
          hint="Paste it, drop a file here, or choose one. The first line names the columns."
          value={text}
          onValue={(csv) => {
            // Its name would say that this is from it.
            fileField.current!.value = "";
            take(csv);
          }}
        />
        <label class="money-file">
          <span>A CSV file</span>{" "}
          <input
            ref={fileField}
            type="file"
            accept=".csv,.txt,.tsv,text/csv"
            // The same file can be chosen again.
            onClick={(event) => (event.currentTarget.value = "")}
            onChange={(event) => void takeFile(event.currentTarget.files)}
          />
        </label>
      </div>
      {columns.length > 0 && (
        <>
          <div class="filter">
            <SelectField
              label="A line is about"
              value={key}
              choices={Object.entries(KEYS).map(([value, label]) => ({ value, label }))}
              onValue={change((value: string) => setKey(value as Key))}
            />
            <SelectField
              label="Its column"
              value={meant[key] ?? ""}
              choices={choices}
              onValue={change((name: string) => setMeant({ ...meant, [key]: name }))}
            />
            {Object.entries(OPTIONAL).map(([meaning, label]) => (
              <SelectField
                key={meaning}
                label={label}
                value={meant[meaning as Meaning] ?? ""}
                choices={choices}
                onValue={change((name: string) => setMeant({ ...meant, [meaning]: name }))}
              />
            ))}
            {meant.amount && !meant.currency && (
              <TextField
                label="Currency of all lines"
                required
                value={currency}
                onValue={change(setCurrency)}
                placeholder="EUR"
                list={CURRENCIES}
              />
            )}
          </div>
          <CheckField label="Amounts are written 1.234,56" checked={hasCommas} onChecked={change(setCommas)} />
          <div>
            <Button kind="primary" type="submit" isBusy={isBusy || isReading} disabled={!meant[key]}>
              Compare
            </Button>
          </div>
        </>
      )}
      {unread && <Failure error={unread} />}
      {error && <Failure error={error} />}
    </form>
  );
}

/** UTF-16 with its mark, as Excel writes its "Unicode text"; anything else is UTF-8, in which what is not readable shows. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}
