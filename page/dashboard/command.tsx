import { CopyButton } from '../copy-button.tsx';
import { Code } from '../inline.tsx';
import { commandOf, curlOf } from './calls.ts';
import { TEXT } from './text.ts';

interface CommandProps {
  /** Such as `domains.verifyDomain`. */
  operation: string;
  input: object;
  /** The words of the command after `nameplate`; absent where it has none. */
  command?: readonly string[];
}

/** The call that an action makes, to copy. */
export function Command({ operation, input, command }: CommandProps) {
  return (
    <details class="command">
      <summary>{TEXT.command.summary}</summary>
      <div class="actions">
        <Code text={operation} />
        <CopyButton
          text={curlOf(location.origin, operation, input)}
          label={TEXT.command.asCurl}
          what={`: ${operation}`}
        />
        {command && (
          <CopyButton text={commandOf(command)} label={TEXT.command.asCommand} what={`: ${command.join(' ')}`} />
        )}
      </div>
      <pre>
        <code>{command ? commandOf(command) : curlOf(location.origin, operation, input)}</code>
      </pre>
    </details>
  );
}
