import type { ReactNode } from 'react';

interface DefinitionProps {
  readonly name: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A name and its value in a `<dl>` with the class `definitions`. */
export function Definition({ name, className, children }: DefinitionProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </div>
  );
}
