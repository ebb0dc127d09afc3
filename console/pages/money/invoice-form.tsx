import { useRef, useState } from "preact/hooks";
import { CallError } from "../../api/send-request.ts";
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
  readonly onCompared: (compared: ComparedInvoice | undefined) => void;
}

export interface ComparedInvoice {
  readonly input: InputOf<"ledger compare">;
  readonly result: ResultOf<"ledger compare">;
}

const KEYS = { order: "an order number", transaction: "a transaction id", day: "a day" };
type Key = keyof typeof KEYS;
const OPTIONAL = { amount: "Amount", currency: "Currency", quantity: "Quantity" } as const;

/** Reads an invoice as CSV, pasted, dropped or selected, and asks for the meaning of its columns. */
export function InvoiceForm({ span, about, onCompared }: InvoiceFormProps) {
  const { isBusy, error, run } = useAct("ledger compare");
  const [text, setText] = useState("");
  const [isOver, setOver] = useState(false);
  const [key, setKey] = useState<Key>("order");
  const [meant, setMeant] = useState<Readonly<Partial<Record<Meaning, string>>>>({});
  const [currency, setCurrency] = useState("");
  const [hasCommas, setCommas] = useState(false);
  const { columns } = readColumns(text);
  /**
   * Incremented by every change, choice and request. An answer is shown only if nothing has changed since its request.
   */
  const stands = useRef(0);
  const [isReading, setReading] = useState(false);
  /** The reason why the last selected file could not be read. */
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
    // Files with semicolons as separators mostly have decimal commas.
    setCommas(head.delimiter === ";");
  });

  /** Reads a file. It is ignored if anything else changes in the meantime. */
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
    else setUnread(new CallError("invalid", `${file.name} could not be read. It was moved, or access is denied.`));
  }

  function compare(event: Event): void {
    event.preventDefault();
    const named = ([key, "amount", "currency", "quantity"] as const).filter((one) => meant[one]);
    const map = named.map((one) => `${one}=${meant[one]}`);
    const code = currency.trim().toUpperCase();
    const isNeeded = code !== "" && !meant.currency && !!meant.amount;
    const sent = (stands.current += 1);
    const input = {
      invoice: text,
      map,
      ...span,
      ...about,
      ...(isNeeded && { currency: code as "EUR" }),
      decimal_comma: hasCommas,
    };
    void run(input).then((result) => stands.current === sent && onCompared(result && { input, result }));
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
          hint="Paste it, drop a file here, or select a file. The first line must name the columns."
          value={text}
          onValue={(csv) => {
            // The field would still show the name of the previous file.
            fileField.current!.value = "";
            take(csv);
          }}
        />
        <label class="money-file">
          <span>CSV file</span>{" "}
          <input
            ref={fileField}
            type="file"
            accept=".csv,.txt,.tsv,text/csv"
            // Allows the same file to be selected again.
            onClick={(event) => (event.currentTarget.value = "")}
            onChange={(event) => void takeFile(event.currentTarget.files)}
          />
        </label>
      </div>
      {columns.length > 0 && (
        <>
          <div class="filter">
            <SelectField
              label="Each line is for"
              value={key}
              choices={Object.entries(KEYS).map(([value, label]) => ({ value, label }))}
              onValue={change((value: string) => setKey(value as Key))}
            />
            <SelectField
              label="Column with it"
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
          <CheckField label="Amounts have the form 1.234,56" checked={hasCommas} onChecked={change(setCommas)} />
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

/**
 * Decodes UTF-16 with a byte order mark, Excel's "Unicode text", and otherwise UTF-8. Invalid bytes become replacement
 * characters.
 */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}
