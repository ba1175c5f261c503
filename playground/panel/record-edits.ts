import { InvalidRecord, parseRecord, SINGLE_TYPES } from '../dns/simulated-record.ts';
import type { Simulator } from '../dns/simulator.ts';

/** One record, as DNS panels list them. The simulator keeps the records of a name and type together, with one TTL. */
export interface PanelRecord {
  /** The whole name. */
  name: string;
  type: string;
  value: string;
}

export interface NewPanelRecord extends PanelRecord {
  /** Seconds; it becomes the TTL of all records of this name and type. */
  ttl?: number;
}

/** Adds a record to those of its name and type. Throws `InvalidRecord`. */
export function addRecord(simulator: Simulator, added: NewPanelRecord): void {
  const { name, type, values, ttl } = parseRecord(added.name, added.type, [added.value], added.ttl);
  const held = valuesOf(simulator, name, type);
  if (values.some((value) => held.includes(value))) {
    throw new InvalidRecord(`${name} has this ${type} record already.`);
  }
  if (held.length > 0 && SINGLE_TYPES.includes(type)) {
    throw new InvalidRecord(`${name} has a ${type} record already; edit it, or remove it first.`);
  }
  simulator.set(name, type, [...held, ...values], ttl);
}

/** Removes one record; the others of its name and type stay. False if it is not there. */
export function removeRecord(simulator: Simulator, { name, type, value }: PanelRecord): boolean {
  const found = simulator.list().find((each) => each.name === name && each.type === type);
  if (!found?.values.includes(value)) return false;
  const others = found.values.filter((each) => each !== value);
  if (others.length === 0) simulator.remove(name, type);
  else simulator.set(name, type, others, found.ttl);
  return true;
}

/**
 * Replaces one record with another; the two may differ in name and type. Throws `InvalidRecord`, and then nothing has
 * changed.
 */
export function editRecord(simulator: Simulator, from: PanelRecord, to: NewPanelRecord): void {
  const before = simulator.snapshot();
  if (!removeRecord(simulator, from)) {
    throw new InvalidRecord(`${from.name} no longer has this ${from.type} record.`);
  }
  try {
    addRecord(simulator, to);
  } catch (error) {
    simulator.restore(before);
    throw error;
  }
}

function valuesOf(simulator: Simulator, name: string, type: string): string[] {
  return simulator.list().find((each) => each.name === name && each.type === type)?.values ?? [];
}
