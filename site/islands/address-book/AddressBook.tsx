import { useStore } from '@nanostores/react';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { cleanLine } from '../../../data/model/form-text.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import position from '../position/position.module.css';
import { addressOf } from '../position/wallet-address.ts';
import styles from './address-book.module.css';
import { NameFiles } from './NameFiles.tsx';
import { BOOK_IS_FULL, NAME_LIMITS, nameProblem, storeNames } from './names-file.ts';
import { $naming, $ownNames, type NamedAddress, namesFile, type OwnNames } from './own-names.ts';

/** Orders names as a person would: 2 before 10, and a before B. */
const NAME_ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** The visitor's own names for addresses, kept in this browser. */
export default function AddressBook() {
  const names = useStore($ownNames, { ssr: 'initial' });
  const [removed, setRemoved] = useState<NamedAddress | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const sorted = [...namesFile(names).names].sort((a, b) => NAME_ORDER.compare(a.name, b.name));
  const removeName = (one: NamedAddress) => {
    const problem = storeNames((changed) => changed.delete(one.address));
    setFailure(problem);
    if (problem === null) setRemoved(one);
  };
  const restoreName = ({ address, name }: NamedAddress) => {
    const problem = storeNames((changed) => {
      // The visitor may have named the address again in the meantime.
      if (!changed.has(address)) changed.set(address, name);
    });
    setFailure(problem);
    if (problem === null) setRemoved(null);
  };
  return (
    <section
      id="address-book"
      className={`${position.part} no-print script-only`}
      aria-labelledby="own-names"
    >
      <h2 id="own-names" className={position.head}>
        Address book
      </h2>
      <p className={position.intro}>
        Your own names for addresses. They appear beside the addresses on every page. They are stored in this
        browser only and are never sent to us.
      </p>
      <NewName names={names} />
      {sorted.length === 0 ? null : (
        <ul className={styles.names} data-names>
          {sorted.map((one) => (
            <Entry key={one.address} entry={one} onRemove={() => removeName(one)} />
          ))}
        </ul>
      )}
      <p className={position.actions} role="status" data-removed={removed !== null}>
        {removed === null ? null : (
          <>
            <span>
              Removed <bdi>{removed.name}</bdi>.
            </span>
            <button type="button" className="button" onClick={() => restoreName(removed)}>
              Undo
            </button>
          </>
        )}
      </p>
      {failure === null ? null : (
        <p className={position.failure} role="alert">
          {failure}
        </p>
      )}
      <NameFiles names={names} />
    </section>
  );
}

function NewName({ names }: { readonly names: OwnNames }) {
  const naming = useStore($naming, { ssr: 'initial' });
  const isHydrated = useHydrated();
  const nameField = useRef<HTMLInputElement>(null);
  const [address, setAddress] = useState('');
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (naming === null || $ownNames.get().has(naming)) return;
    setAddress(naming);
    setFailure(null);
    nameField.current?.focus();
    $naming.set(null);
  }, [naming]);
  const add = () => {
    const validAddress = addressOf(address);
    if (validAddress === null) return "That isn't a valid Solana address. Copy the full address.";
    const cleaned = cleanLine(name);
    const problem = nameProblem(cleaned);
    if (problem !== null) return problem;
    const current = names.get(validAddress);
    if (current !== undefined) return `This address is already named ${current}. Rename it in the list.`;
    if (names.size >= NAME_LIMITS.names) return BOOK_IS_FULL;
    return storeNames((changed) => changed.set(validAddress, cleaned));
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const problem = add();
    setFailure(problem);
    if (problem !== null) return;
    setAddress('');
    setName('');
  };
  return (
    <form className={styles.entry} onSubmit={submit} noValidate>
      <label>
        Address
        <input
          className={position.input}
          id="own-name-address"
          value={address}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={({ target }) => setAddress(target.value)}
        />
      </label>
      <label>
        Name
        <input
          className={position.input}
          ref={nameField}
          id="own-name"
          value={name}
          maxLength={2 * NAME_LIMITS.characters}
          autoComplete="off"
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <button type="submit" className="button" disabled={!isHydrated}>
        Add Name
      </button>
      <p className={styles.problem} role="alert">
        {failure}
      </p>
    </form>
  );
}

interface EntryProps {
  readonly entry: NamedAddress;
  readonly onRemove: () => void;
}

function Entry({ entry: { address, name }, onRemove }: EntryProps) {
  const naming = useStore($naming, { ssr: 'initial' });
  const [text, setText] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const edit = () => {
    setText(name);
    setFailure(null);
  };
  useEffect(() => {
    if (naming !== address) return;
    setText(name);
    $naming.set(null);
  }, [naming, address, name]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const cleaned = cleanLine(text ?? '');
    const problem = nameProblem(cleaned) ?? storeNames((changed) => changed.set(address, cleaned));
    setFailure(problem);
    if (problem === null) setText(null);
  };
  return (
    <li data-named-address={address}>
      {text === null ? (
        <strong translate="no">
          <bdi>{name}</bdi>
        </strong>
      ) : (
        <form onSubmit={submit} noValidate>
          <input
            className={position.input}
            // biome-ignore lint/a11y/noAutofocus: the visitor pressed Rename
            autoFocus
            value={text}
            maxLength={2 * NAME_LIMITS.characters}
            aria-label={`New name for ${name}`}
            aria-invalid={failure !== null}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={({ key }) => {
              if (key === 'Escape') setText(null);
            }}
          />
          <button type="submit" className="button">
            Save
          </button>
          <button type="button" className="button" onClick={() => setText(null)}>
            Cancel
          </button>
          <p className={styles.problem} role="alert">
            {failure}
          </p>
        </form>
      )}
      <span className="full-id">{address}</span>
      <span className={styles.buttons}>
        {text === null ? (
          <button type="button" className="button" aria-label={`Rename ${name}`} onClick={edit}>
            Rename
          </button>
        ) : null}
        <button type="button" className="button" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </button>
      </span>
    </li>
  );
}
