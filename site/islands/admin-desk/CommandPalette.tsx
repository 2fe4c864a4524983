import { type KeyboardEvent, useId, useState } from 'react';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { type Command, commandsFor } from './commands.ts';
import styles from './record.module.css';
import { useMay } from './role.ts';

interface CommandPaletteProps {
  readonly onRun: (command: Command) => void;
  readonly onClose: () => void;
}

/** Every way of the dashboard, found by typing: arrows choose, Enter does it. */
export function CommandPalette({ onRun, onClose }: CommandPaletteProps) {
  const id = useId();
  const mayExport = useMay('reviewer');
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const commands = commandsFor(text, mayExport);
  const active = Math.min(chosen, commands.length - 1);
  const optionOf = (index: number) => `${id}-${index}`;
  return (
    <ModalDialog labelledby={`${id}-title`} isBusy={false} onClose={onClose}>
      {(close) => {
        const run = (command: Command | undefined) => {
          if (command === undefined) return;
          close();
          onRun(command);
        };
        const step = (by: number) => {
          const to = (active + by + commands.length) % commands.length;
          setChosen(to);
          document.getElementById(optionOf(to))?.scrollIntoView({ block: 'nearest' });
        };
        const onKeyDown = (event: KeyboardEvent) => {
          if (event.key === 'ArrowDown') step(1);
          else if (event.key === 'ArrowUp') step(-1);
          else if (event.key === 'Enter') run(commands[active]);
          else return;
          event.preventDefault();
        };
        return (
          <div className={styles.palette}>
            <h2 id={`${id}-title`}>Commands</h2>
            <input
              // A dialog gives the focus to what asks for it.
              // biome-ignore lint/a11y/noAutofocus: see above
              autoFocus
              type="text"
              role="combobox"
              aria-label="Command, reference number or text to search for"
              aria-expanded="true"
              aria-controls={`${id}-list`}
              aria-activedescendant={commands.length === 0 ? undefined : optionOf(active)}
              autoComplete="off"
              spellCheck={false}
              maxLength={120}
              placeholder="A command, a reference number or a text"
              value={text}
              onChange={({ target }) => {
                setText(target.value);
                setChosen(0);
              }}
              onKeyDown={onKeyDown}
            />
            <div role="listbox" id={`${id}-list`} aria-label="Commands" className={styles.commands}>
              {commands.map((command, index) => (
                // The keys are those of the field.
                // biome-ignore lint/a11y/useKeyWithClickEvents: see above
                <div
                  key={command.id}
                  id={optionOf(index)}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  onClick={() => run(command)}
                >
                  {command.label}
                </div>
              ))}
            </div>
          </div>
        );
      }}
    </ModalDialog>
  );
}
