import { type SubmitEvent, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import {
  WEBHOOK_EVENT_LABELS,
  WEBHOOK_EVENT_TYPES,
  WEBHOOK_LIMITS,
  type WebhookEventType,
} from '../../../data/model/webhooks.ts';
import { type ChangeSender, useChange, type WebhookEndpoint } from '../admin/admin-calls.ts';
import { FormActions, Notice, OWN_PASSWORD_NEEDED, OwnPasswordField } from '../admin/form-parts.tsx';
import { Field } from '../form/Field.tsx';
import { focusOnMount } from '../form/focus-on-mount.ts';
import form from '../form/form.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import styles from './admin-webhooks.module.css';
import { hostOf } from './endpoint-host.ts';

const EVENT_NEEDED = 'Choose at least one event.';

interface EventChoicesProps {
  readonly chosenTypes: readonly WebhookEventType[];
  readonly onChange: (chosen: readonly WebhookEventType[]) => void;
}

function EventChoices({ chosenTypes, onChange }: EventChoicesProps) {
  const toggle = (type: WebhookEventType, isChosen: boolean) =>
    onChange(WEBHOOK_EVENT_TYPES.filter((one) => (one === type ? isChosen : chosenTypes.includes(one))));
  return (
    <fieldset className={styles.choices}>
      <legend>Events</legend>
      {WEBHOOK_EVENT_TYPES.map((type) => (
        <label key={type}>
          <input
            type="checkbox"
            checked={chosenTypes.includes(type)}
            onChange={({ target }) => toggle(type, target.checked)}
          />
          {WEBHOOK_EVENT_LABELS[type]}
        </label>
      ))}
    </fieldset>
  );
}

interface SecretProps {
  readonly secret: string;
  readonly onSaved: () => void;
}

function Secret({ secret, onSaved }: SecretProps) {
  return (
    <>
      <h2 id="webhook-dialog" ref={focusOnMount} tabIndex={-1}>
        Signing secret
      </h2>
      <p>
        With this secret, the receiver can check that events come from the portal. It is shown only once. Send
        it to the operator of the receiver over a channel that you trust.
      </p>
      <p className={styles.secret}>{secret}</p>
      <p className={form.actions}>
        <CopyButton text={secret} name="secret" showsName />
        <button type="button" className="button gold" onClick={onSaved}>
          I've saved the secret
        </button>
      </p>
    </>
  );
}

export function AddEndpoint({ onClose }: { readonly onClose: () => void }) {
  const [url, setUrl] = useState('https://');
  const [types, setTypes] = useState<readonly WebhookEventType[]>(WEBHOOK_EVENT_TYPES);
  const [ownPassword, setOwnPassword] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const { isBusy, notice, sendAndNotify, showError } = useChange();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!URL.canParse(url.trim())) return showError('Enter a URL that starts with https://.');
    if (types.length === 0) return showError(EVENT_NEEDED);
    if (ownPassword === '') return showError(OWN_PASSWORD_NEEDED);
    void sendAndNotify(PATHS.addWebhook, { url: url.trim(), types: [...types], ownPassword }, (response) => {
      setSecret(response.secret);
      return null;
    });
  };
  return (
    <ModalDialog labelledby="webhook-dialog" isBusy={isBusy} onClose={onClose}>
      {(close) =>
        secret === null ? (
          <form className={form.form} onSubmit={submit} aria-labelledby="webhook-dialog" noValidate>
            <h2 id="webhook-dialog">Add endpoint</h2>
            <Field
              id="webhook-url"
              name="url"
              value={url}
              onValue={setUrl}
              label="URL"
              hint="Where the receiver accepts events by POST. It must be on the public internet."
              autoComplete="off"
              maxLength={WEBHOOK_LIMITS.url}
              isMono
            />
            <EventChoices chosenTypes={types} onChange={setTypes} />
            <OwnPasswordField id="webhook-own" value={ownPassword} onValue={setOwnPassword} />
            <Notice notice={notice} />
            <FormActions submitLabel="Add" busyLabel="Adding..." isBusy={isBusy} onCancel={close} />
          </form>
        ) : (
          <div className={form.form}>
            <Secret secret={secret} onSaved={close} />
          </div>
        )
      }
    </ModalDialog>
  );
}

interface ManageEndpointProps {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}

interface SectionProps {
  readonly endpoint: WebhookEndpoint;
  readonly change: ChangeSender;
}

export function ManageEndpoint({ endpoint, onClose }: ManageEndpointProps) {
  const change = useChange();
  const [secret, setSecret] = useState<string | null>(null);
  const section = { endpoint, change };
  return (
    <ModalDialog labelledby="webhook-dialog" isBusy={change.isBusy} onClose={onClose}>
      {(close) => (
        <div className={form.form}>
          {secret === null ? (
            <>
              <h2 id="webhook-dialog">Manage {hostOf(endpoint)}</h2>
              <Notice notice={change.notice} />
              <SendingControl {...section} />
              <EventsForm {...section} />
              <RollSecretForm {...section} onSecret={setSecret} />
              <Removal {...section} />
              <p className={form.actions}>
                <button type="button" className="button" disabled={change.isBusy} onClick={close}>
                  Close
                </button>
              </p>
            </>
          ) : (
            <Secret secret={secret} onSaved={() => setSecret(null)} />
          )}
        </div>
      )}
    </ModalDialog>
  );
}

const STATE_TEXTS = {
  active: 'The endpoint receives events. Events that happen while it is paused are never sent.',
  paused: 'The endpoint is paused. Events already queued are sent when you enable it.',
  disabled:
    'The portal disabled the endpoint, because its receiver answered 410 or failed for days. Enable it once the receiver works.',
} as const;

function SendingControl({ endpoint: { id, state }, change }: SectionProps) {
  const toggle = () =>
    state === 'active'
      ? change.sendAndNotify(PATHS.pauseWebhook, { id }, () => 'The endpoint is paused.')
      : change.sendAndNotify(PATHS.resumeWebhook, { id }, () => 'The endpoint is enabled.');
  return (
    <section className={styles.part} aria-labelledby="webhook-sending">
      <h3 id="webhook-sending">Sending</h3>
      <p className={styles.quiet}>{STATE_TEXTS[state]}</p>
      <p className={form.actions}>
        <button type="button" className="button" disabled={change.isBusy} onClick={() => void toggle()}>
          {state === 'active' ? 'Pause' : 'Enable'}
        </button>
      </p>
    </section>
  );
}

function EventsForm({ endpoint: { id, types }, change }: SectionProps) {
  const [chosenTypes, setChosenTypes] = useState<readonly WebhookEventType[]>(types);
  const isUnchanged =
    chosenTypes.length === types.length && chosenTypes.every((type) => types.includes(type));
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (chosenTypes.length === 0) return change.showError(EVENT_NEEDED);
    void change.sendAndNotify(
      PATHS.changeWebhook,
      { id, types: [...chosenTypes] },
      () => 'Event selection saved.',
    );
  };
  return (
    <form className={styles.part} onSubmit={submit} aria-label="Events" noValidate>
      <EventChoices chosenTypes={chosenTypes} onChange={setChosenTypes} />
      <FormActions submitLabel="Save events" isBusy={change.isBusy} isDisabled={isUnchanged} isPlain />
    </form>
  );
}

interface RollSecretFormProps extends SectionProps {
  readonly onSecret: (secret: string) => void;
}

function RollSecretForm({ endpoint: { id }, change, onSecret }: RollSecretFormProps) {
  const [ownPassword, setOwnPassword] = useState('');
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (ownPassword === '') return change.showError(OWN_PASSWORD_NEEDED);
    void change.sendAndNotify(PATHS.rollWebhookSecret, { id, ownPassword }, ({ secret }) => {
      onSecret(secret);
      return null;
    });
  };
  return (
    <form className={styles.part} onSubmit={submit} aria-labelledby="webhook-roll" noValidate>
      <h3 id="webhook-roll">Signing secret</h3>
      <p className={styles.quiet}>
        After you roll the secret, events are signed with both secrets for {WEBHOOK_LIMITS.oldSecretHours}{' '}
        hours, so that the receiver can switch to the new one.
      </p>
      <OwnPasswordField id="webhook-roll-own" value={ownPassword} onValue={setOwnPassword} />
      <FormActions submitLabel="Roll secret" isBusy={change.isBusy} isPlain />
    </form>
  );
}

function Removal({ endpoint: { id }, change }: SectionProps) {
  const [isConfirming, setConfirming] = useState(false);
  const remove = () => change.sendAndNotify(PATHS.removeWebhook, { id }, () => null);
  return (
    <section className={styles.part} aria-labelledby="webhook-remove">
      <h3 id="webhook-remove">Remove</h3>
      <p className={styles.quiet}>Removes the endpoint and its events. This can't be undone.</p>
      <p className={form.actions}>
        {isConfirming ? (
          <>
            <button
              type="button"
              className="button gold"
              disabled={change.isBusy}
              onClick={() => void remove()}
            >
              Remove permanently
            </button>
            <button type="button" className="button" onClick={() => setConfirming(false)}>
              Cancel
            </button>
          </>
        ) : (
          <button type="button" className="button" onClick={() => setConfirming(true)}>
            Remove
          </button>
        )}
      </p>
    </section>
  );
}
