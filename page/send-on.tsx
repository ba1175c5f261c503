import { useMemo, useState } from 'preact/hooks';
import { encode } from 'uqr';
import { CopyButton } from './copy-button.tsx';
import { unicodeForm } from './names.ts';
import { mailto, sentText } from './sent-text.ts';
import type { SetupState } from './setup-state.ts';
import { TEXT } from './text.ts';
import type { View } from './view.ts';

/** Stages in which nobody has a record to add. */
const DONE = new Set<View['stage']>(['certificate', 'live', 'confirming', 'preparing']);

/** Passes the records and the link on to whoever manages the DNS. Nothing leaves the browser but by the visitor's own hand. */
export function SendOn({ state: { url = null, domain }, view }: { state: SetupState; view: View }) {
  const [isOpen, setOpen] = useState(false);
  const name = domain?.domain ?? '';
  const text = sentText(view, name);
  if (text === '' || DONE.has(view.stage)) return null;
  const all = url === null ? text : `${text}\n\n${TEXT.sent.link}\n${url}`;
  return (
    <details class="send-on" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{TEXT.sendOn}</summary>
      {isOpen && (
        <div class="ways">
          <div>
            <p class="note">{url === null ? TEXT.sendOnWithoutLink : TEXT.sendOnWarning}</p>
            <p class="buttons">
              {url !== null && (
                <a class="button quiet" href={mailto(TEXT.sent.subject(unicodeForm(name) ?? name), all)}>
                  {TEXT.sendByMail}
                </a>
              )}
              <CopyButton text={all} label={TEXT.sendCopy} what={TEXT.sendCopyWhat} />
            </p>
          </div>
          {url !== null && (
            <figure>
              <QrCode text={url} />
              <figcaption class="note">{TEXT.sendCodeText}</figcaption>
            </figure>
          )}
        </div>
      )}
    </details>
  );
}

/** Modules around a code that readers need (ISO/IEC 18004). */
const QUIET_ZONE = 4;

function QrCode({ text }: { text: string }) {
  const { data, size } = useMemo(() => encode(text, { ecc: 'M', border: QUIET_ZONE }), [text]);
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={TEXT.sendCode}>
      <path class="paper" d={`M0 0h${size}v${size}H0z`} />
      <path d={path} />
    </svg>
  );
}
