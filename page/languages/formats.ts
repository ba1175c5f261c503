/** Formats of a language, and of the visitor's own time zone. `units`: how units of time are written; an abbreviation must not end in a dot. */
export function formatsIn(tag: string, units: 'short' | 'long' = 'short') {
  const inTime = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(tag, options);
    return (at: number) => format.format(at);
  };
  const inUnits = (unit: 'minute' | 'second') =>
    new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: units });
  const [minutes, seconds] = [inUnits('minute'), inUnits('second')];
  const conjunction = new Intl.ListFormat(tag);
  const duration = (count: number) => (count > 90 ? minutes.format(Math.round(count / 60)) : seconds.format(count));
  return {
    list: (values: readonly string[]) => conjunction.format(values),
    time: inTime({
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
    }),
    clock: inTime({
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'short',
    }),
    date: inTime({ day: 'numeric', month: 'long', year: 'numeric' }),
    // Japanese has no space before a unit.
    duration: (count: number) => (tag === 'ja' ? duration(count).replace(/\s/, '') : duration(count)),
  };
}
