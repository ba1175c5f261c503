import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InvalidRecord } from '../dns/simulated-record.ts';
import { type Simulator, startSimulator } from '../dns/simulator.ts';
import { addRecord, editRecord, removeRecord } from './record-edits.ts';

let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator({ port: 0 });
});

afterEach(() => simulator.close());

const NAME = 'shop.acme.com';
const A = { name: NAME, type: 'A', value: '192.0.2.1' };

function values(type: string): string[] | undefined {
  return simulator.list().find((record) => record.name === NAME && record.type === type)?.values;
}

describe('adding a record', () => {
  test('keeps the others of its name and type, and sets the TTL of all', () => {
    addRecord(simulator, A);
    addRecord(simulator, { ...A, value: '192.0.2.2', ttl: 300 });
    expect(simulator.list()).toEqual([{ name: NAME, type: 'A', values: ['192.0.2.1', '192.0.2.2'], ttl: 300 }]);
  });

  test('keeps a name that is doubled, and a value with spaces and quotation marks, as typed', () => {
    const name = 'shop.acme.com.acme.com';
    addRecord(simulator, { name, type: 'TXT', value: ' "x" ' });
    expect(simulator.list()).toEqual([{ name, type: 'TXT', values: [' "x" '], ttl: 60 }]);
  });

  test('that is there already is refused', () => {
    addRecord(simulator, A);
    expect(() => addRecord(simulator, A)).toThrow(`${NAME} has this A record already.`);
  });

  test('refuses a second CNAME, rather than replace the first', () => {
    addRecord(simulator, { name: NAME, type: 'CNAME', value: 'one.example.net' });
    const second = { name: NAME, type: 'cname', value: 'two.example.net' };
    expect(() => addRecord(simulator, second)).toThrow(`${NAME} has a CNAME record already; edit it`);
    expect(values('CNAME')).toEqual(['one.example.net']);
  });
});

describe('removing a record', () => {
  test('leaves the others of its name and type, with their TTL', () => {
    simulator.set(NAME, 'A', ['192.0.2.1', '192.0.2.2'], 300);
    expect(removeRecord(simulator, A)).toBe(true);
    expect(simulator.list()).toEqual([{ name: NAME, type: 'A', values: ['192.0.2.2'], ttl: 300 }]);
    expect(removeRecord(simulator, A)).toBe(false);
  });

  test('leaves faults of the name', () => {
    simulator.set(NAME, 'A', ['192.0.2.1']);
    simulator.fail(NAME, 'servfail');
    removeRecord(simulator, A);
    expect(simulator.list()).toEqual([]);
    expect(simulator.faults()).toHaveLength(1);
  });
});

describe('editing a record', () => {
  test('may change its type: a CNAME in place of an address', () => {
    addRecord(simulator, A);
    editRecord(simulator, A, { name: NAME, type: 'CNAME', value: 'target.example.net', ttl: 5 });
    expect(simulator.list()).toEqual([{ name: NAME, type: 'CNAME', values: ['target.example.net'], ttl: 5 }]);
  });

  test('changes nothing when the new record is refused', () => {
    simulator.set(NAME, 'A', ['192.0.2.1', '192.0.2.2'], 300);
    simulator.setZone('shop.acme.com');
    const before = simulator.snapshot();
    expect(() => editRecord(simulator, A, { ...A, value: 'not an address' })).toThrow(InvalidRecord);
    expect(simulator.snapshot()).toEqual(before);
  });

  test('of one that somebody else has removed is refused', () => {
    expect(() => editRecord(simulator, A, A)).toThrow(`${NAME} no longer has this A record.`);
    expect(simulator.list()).toEqual([]);
  });
});
