/** One environment variable. Parsing, error messages and docs/reference/configuration.md all come from tables of these. */
export interface Variable<T> {
  name: `NAMEPLATE_${string}`;
  /** Describes its effect in full sentences (Markdown). */
  about: string;
  example: string;
  parse: (text: string) => T;
  /** Used if the variable is unset or empty; without it the value is undefined. */
  default?: string;
  /** `serve` refuses to start without it. */
  required?: true;
  /** The value is never printed. */
  secret?: true;
}

type Value<V> = V extends { parse: (text: string) => infer T }
  ? V extends { default: string } | { required: true }
    ? T
    : T | undefined
  : never;

/** The values of a table of variables. */
export type Values<Table> = { [K in keyof Table]: Value<Table[K]> };
