import { copyText } from '../../shell/copy-text.ts';

interface CopyButtonProps {
  readonly text: string;
  /** What the button copies: `vault address`. */
  readonly name: string;
  /** Shows the name on the button. For a button that is not next to its text. */
  readonly isNamed?: boolean;
}

export function CopyButton({ text, name, isNamed = false }: CopyButtonProps) {
  return (
    <button
      type="button"
      className={isNamed ? 'button' : 'button small'}
      onClick={() => void copyText(text, name)}
    >
      {isNamed ? (
        `Copy ${name}`
      ) : (
        <>
          Copy<span className="visually-hidden"> {name}</span>
        </>
      )}
    </button>
  );
}
