import { copyText } from '../../shell/copy-text.ts';

interface CopyButtonProps {
  readonly text: string;
  /** What the button copies, such as `vault address`. */
  readonly name: string;
  /** Whether the button shows the name. Needed if the button is not next to the text. */
  readonly showsName?: boolean;
}

export function CopyButton({ text, name, showsName = false }: CopyButtonProps) {
  return (
    <button
      type="button"
      className={showsName ? 'button' : 'button small'}
      onClick={() => void copyText(text, name)}
    >
      {showsName ? (
        `Copy ${name}`
      ) : (
        <>
          Copy<span className="visually-hidden"> {name}</span>
        </>
      )}
    </button>
  );
}
