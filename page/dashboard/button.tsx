import type { ComponentChildren } from 'preact';

interface ButtonProps {
  kind?: 'main' | 'quiet' | 'danger';
  isSmall?: boolean;
  isDisabled?: boolean;
  onClick: (event: MouseEvent) => void;
  children: ComponentChildren;
}

export function Button({ kind = 'quiet', isSmall, isDisabled, onClick, children }: ButtonProps) {
  return (
    <button type="button" class={`button ${kind}${isSmall ? ' small' : ''}`} disabled={isDisabled} onClick={onClick}>
      {children}
    </button>
  );
}
