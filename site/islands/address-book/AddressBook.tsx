import { useStore } from '@nanostores/react';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { cleanLine } from '../../../data/model/form-text.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import { focusOnMount } from '../form/focus-on-mount.ts';
import position from '../position/position.module.css';
import { addressOf } from '../position/wallet-address.ts';
import styles from './address-book.module.css';
import { NameFiles } from './NameFiles.tsx';
import { BOOK_IS_FULL, NAME_LIMITS, nameErrorText, storeNames } from './names-file.ts';
import { $addressToName, $ownNames, type NamedAddress, type OwnNames, toNamesFile } from './own-names.ts';

/** Orders names as a person would: 2 before 10, and a before B. */
const NAME_ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

export default function AddressBook() {
  const names = useStore($ownNames, { ssr: 'initial' });
  const heading = useRef<HTMLHeadingElement>(null);
  const [removedEntry, setRemovedEntry] = useState<NamedAddress | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const sorted = [...toNamesFile(names).names].sort((a, b) => NAME_ORDER.compare(a.name, b.name));
  const removeName = (one: NamedAddress) => {
    const problem = storeNames((storedNames) => storedNames.delete(one.address));
    setFailure(problem);
    if (problem === null) setRemovedEntry(one);
  };
  const restoreName = ({ address, name }: NamedAddress) => {
    const problem = storeNames((storedNames) => {
      // The visitor may have named the address again in the meantime.
      if (!storedNames.has(address)) storedNames.set(address, name);
    });
    setFailure(problem);
    if (problem !== null) return;
    setRemovedEntry(null);
    heading.current?.focus();
  };
  return (
    <section
      id="address-book"
      className={`${position.part} no-print script-only`}
      aria-labelledby="own-names"
    >
      <h2 id="own-names" className={position.head} ref={heading} tabIndex={-1}>
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
      <p className={position.actions} role="status" data-removed={removedEntry !== null}>
        {removedEntry === null ? null : (
          <>
            <span>
              Removed <bdi>{removedEntry.name}</bdi>.
            </span>
            {/* Takes the focus, because the button that had it was removed. */}
            <button
              key={removedEntry.address}
              ref={focusOnMount}
              type="button"
              className="button"
              onClick={() => restoreName(removedEntry)}
            >
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
  const addressToName = useStore($addressToName, { ssr: 'initial' });
  const isHydrated = useHydrated();
  const nameField = useRef<HTMLInputElement>(null);
  const [address, setAddress] = useState('');
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (addressToName === null || $ownNames.get().has(addressToName)) return;
    setAddress(addressToName);
    setFailure(null);
    nameField.current?.focus();
    $addressToName.set(null);
  }, [addressToName]);
  const add = () => {
    const validAddress = addressOf(address);
    if (validAddress === null) return "That isn't a valid Solana address. Copy the full address.";
    const cleaned = cleanLine(name);
    const problem = nameErrorText(cleaned);
    if (problem !== null) return problem;
    const currentName = names.get(validAddress);
    if (currentName !== undefined)
      return `This address is already named ${currentName}. Rename it in the list.`;
    if (names.size >= NAME_LIMITS.names) return BOOK_IS_FULL;
    return storeNames((storedNames) => storedNames.set(validAddress, cleaned));
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
  const addressToName = useStore($addressToName, { ssr: 'initial' });
  const [newName, setNewName] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const renameButton = useRef<HTMLButtonElement>(null);
  const edit = () => {
    setNewName(name);
    setFailure(null);
  };
  const endEditing = () => {
    flushSync(() => setNewName(null));
    // The focused field or button is gone, so the focus returns to the button that opened the field.
    renameButton.current?.focus();
  };
  useEffect(() => {
    if (addressToName !== address) return;
    setNewName(name);
    $addressToName.set(null);
  }, [addressToName, address, name]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const cleaned = cleanLine(newName ?? '');
    const problem = nameErrorText(cleaned) ?? storeNames((storedNames) => storedNames.set(address, cleaned));
    setFailure(problem);
    if (problem === null) endEditing();
  };
  return (
    <li data-named-address={address}>
      {newName === null ? (
        <strong translate="no">
          <bdi>{name}</bdi>
        </strong>
      ) : (
        <form onSubmit={submit} noValidate>
          <input
            className={position.input}
            // biome-ignore lint/a11y/noAutofocus: the visitor pressed Rename
            autoFocus
            value={newName}
            maxLength={2 * NAME_LIMITS.characters}
            aria-label={`New name for ${name}`}
            aria-invalid={failure !== null}
            onChange={({ target }) => setNewName(target.value)}
            onKeyDown={({ key }) => {
              if (key === 'Escape') endEditing();
            }}
          />
          <button type="submit" className="button">
            Save
          </button>
          <button type="button" className="button" onClick={endEditing}>
            Cancel
          </button>
          <p className={styles.problem} role="alert">
            {failure}
          </p>
        </form>
      )}
      <span className="full-id">{address}</span>
      <span className={styles.buttons}>
        {newName === null ? (
          <button
            ref={renameButton}
            type="button"
            className="button"
            aria-label={`Rename ${name}`}
            onClick={edit}
          >
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
