/** The values that this version knows, of a type of the API that may get more. */
export type Known<Value> = Value extends string ? (string extends Value ? never : Value) : never;
