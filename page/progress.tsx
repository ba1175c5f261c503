import { Icon, type IconName } from './inline.tsx';
import { TEXT } from './text.ts';
import type { StepState, Steps } from './view.ts';

const ICONS: Record<Exclude<StepState, 'waiting'>, IconName> = { done: 'check', current: 'dots', problem: 'alert' };

/** The picture of where the domain stands. */
export function Progress({ steps }: { steps: Steps }) {
  return (
    <ol class="steps" aria-label={TEXT.progress}>
      {(Object.entries(steps) as [keyof Steps, StepState][]).map(([step, state], at) => (
        <li key={step} class={state} aria-current={state === 'current' || state === 'problem' ? 'step' : undefined}>
          <span class="dot">
            {state === 'waiting' ? (
              <span aria-hidden="true">{at + 1}</span>
            ) : (
              <Icon name={step === 'live' && state === 'done' ? 'lock' : ICONS[state]} />
            )}
          </span>
          <span class="label">{TEXT.steps[step]}</span>
          <span class={state === 'waiting' ? 'sr' : 'state'}>
            {step === 'dns' && state === 'current' ? TEXT.yourTurn : TEXT.stepStates[state]}
          </span>
        </li>
      ))}
    </ol>
  );
}
