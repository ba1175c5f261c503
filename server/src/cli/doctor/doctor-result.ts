/** One result of `nameplate doctor`. `found` is a clause without a final stop, `advice` full sentences. */
export interface DoctorResult {
  about: string;
  level: 'ok' | 'warn' | 'fail';
  found: string;
  /** Tells the operator how to fix it; absent if `level` is `ok`. */
  advice?: string;
}

export function ok(about: string, found: string): DoctorResult {
  return { about, level: 'ok', found };
}

export function warn(about: string, found: string, advice: string): DoctorResult {
  return { about, level: 'warn', found, advice };
}

export function fail(about: string, found: string, advice: string): DoctorResult {
  return { about, level: 'fail', found, advice };
}
