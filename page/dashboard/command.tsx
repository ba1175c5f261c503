import { CopyButton } from '../copy-button.tsx';
import { Code } from '../inline.tsx';
import { commandOf, curlOf } from './calls.ts';
import { TEXT } from './text.ts';

/** A call of the API, with the command that does the same. */
export interface ShownCall {
  /** Such as `domains.verifyDomain`. */
  operation: string;
  input: object;
  /** The words of the command after `nameplate`. */
  command: readonly string[];
}

/** The call that an action makes, to copy. */
export function Command({ operation, input, command }: ShownCall) {
  const line = commandOf(command);
  return (
    <details class="command">
      <summary>{TEXT.command.summary}</summary>
      <div class="actions">
        <Code text={operation} />
        <CopyButton
          text={curlOf(location.origin, operation, input)}
          label={TEXT.command.asCurl}
          what={TEXT.signs.colon + operation}
        />
        <CopyButton text={line} label={TEXT.command.asCommand} what={TEXT.signs.colon + line} />
      </div>
      <pre>
        <code>{line}</code>
      </pre>
    </details>
  );
}
