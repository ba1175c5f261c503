import { systemClock } from '../clock.ts';
import type { VerifiedRequest } from '../playground/webhook-receiver.ts';
import { type EventDetails, eventDetails } from './events.ts';
import { type JsonOption, jsonText, paint, print, printable, timeOfDay } from './output.ts';

/** The body of an event (docs/webhooks.md). */
interface EventBody {
  type: string;
  data: Omit<EventDetails, 'verificationError'> & {
    domain?: { id: string; domain: string } & Pick<EventDetails, 'verificationError'>;
  };
}

interface PrinterOptions extends JsonOption {
  /** Types of events to print; all unless given. */
  type?: string[];
}

/** Prints what a receiver got, one line each; with `json` the whole events. `wanted`: name or id of the only domain whose events are printed. */
export function eventPrinter({ json, type: types }: PrinterOptions, wanted: string | undefined) {
  const seen = new Set<string>();
  const isWanted = ({ type, data: { domain } }: EventBody) =>
    domain === undefined ||
    ((types === undefined || types.includes(type) || types.includes('*')) &&
      (wanted === undefined || [domain.id, domain.domain].includes(wanted)));
  return {
    onEvent({ fields, body }: VerifiedRequest) {
      const id = fields['webhook-id'];
      const event = JSON.parse(body) as EventBody;
      if (!isWanted(event)) return;
      print(json ? jsonText({ id, ...event }) : describeReceived(event, seen.has(id)));
      seen.add(id);
    },
    onRefused(reason: string) {
      const message = `Refused a request: its signature is wrong (${reason}).`;
      print(
        json
          ? jsonText({ error: { message } })
          : `${timeOfDay(systemClock.now())}  ${paint('red', printable(message))}`,
      );
    },
  };
}

const TYPE_WIDTH = 'certificate.expiring'.length;

/** `20:14:05  record.seen           shop.example.com  The TXT record was found with the right value.` */
function describeReceived({ type, data: { domain, ...change } }: EventBody, isRepeated: boolean): string {
  const { verificationError } = domain ?? {};
  const details = eventDetails(type, { ...change, ...(verificationError !== undefined && { verificationError }) });
  return [
    timeOfDay(systemClock.now()),
    paint('bold', printable(type).padEnd(domain === undefined ? 0 : TYPE_WIDTH)),
    printable(domain?.domain ?? ''),
    printable(details),
    isRepeated ? paint('dim', '(sent again)') : '',
  ]
    .filter((part) => part !== '')
    .join('  ');
}
