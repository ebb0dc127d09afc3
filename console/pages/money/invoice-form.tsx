import { useRef, useState } from "preact/hooks";
import type { InputOf, ResultOf } from "../../api/verb-types.ts";
import { useAct } from "../../parts/act.tsx";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { AreaField, CheckField, SelectField, TextField } from "../../parts/fields.tsx";
import { CURRENCIES } from "./currencies.ts";
import { guessMeanings, type Meaning, readColumns } from "./read-columns.ts";

interface InvoiceFormProps {
  readonly span: { readonly from: string; readonly to: string };
  readonly about: Pick<InputOf<"ledger compare">, "org" | "source" | "credential">;
  readonly onCompared: (result: ResultOf<"ledger compare"> | undefined) => void;
}

const KEYS = { order: "the vendor's number of an order", transaction: "our transaction id", day: "a day of UTC" };
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
  /** Counts what is changed and sent: an answer is shown only under what it is of. */
  const stands = useRef(0);

  function change<Value>(set: (value: Value) => void): (value: Value) => void {
    return (value) => {
      stands.current += 1;
      onCompared(undefined);
      set(value);
    };
  }

  const take = change((csv: string): void => {
    const head = readColumns(csv);
    const guessed = guessMeanings(head.columns);
    setText(csv);
    setMeant(guessed);
    setKey((["transaction", "order", "day"] as const).find((one) => guessed[one] !== undefined) ?? "order");
    // Where a semicolon divides the columns, a comma mostly divides the numbers.
    setCommas(head.delimiter === ";");
  });

  function takeFile(files: FileList | null | undefined): void {
    const file = files?.[0];
    if (file) void file.arrayBuffer().then((bytes) => take(decode(new Uint8Array(bytes))));
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
          takeFile(event.dataTransfer?.files);
        }}
      >
        <AreaField
          label="The invoice as CSV"
          hint="Paste it, drop a file here, or choose one. The first line names the columns."
          value={text}
          onValue={take}
        />
        <label class="money-file">
          <span>A CSV file</span>{" "}
          <input
            type="file"
            accept=".csv,.txt,.tsv,text/csv"
            onChange={(event) => takeFile(event.currentTarget.files)}
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
            <Button kind="primary" type="submit" isBusy={isBusy} disabled={!meant[key]}>
              Compare
            </Button>
          </div>
        </>
      )}
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
