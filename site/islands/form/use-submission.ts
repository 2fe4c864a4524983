import { type ComponentProps, useRef, useState } from 'react';
import type { FormFields, FormSpec } from '../../../data/model/forms/field.ts';
import { type SubmitOutcome, submitForm } from '../../data/submit-form.ts';
import { acceptedEmails } from './AnswersInTelegram.tsx';
import { attemptFor, draftName, fileFingerprint, readDraft, storeDraft } from './draft.ts';
import {
  type FieldsForm,
  type FieldsOptions,
  type FieldValues,
  HONEYPOT,
  type TypedValues,
  useFields,
} from './use-fields.ts';

export type SubmitFailure = Exclude<SubmitOutcome, { readonly kind: 'accepted' }>;
export type Sending = { readonly kind: 'idle' } | { readonly kind: 'submitting' } | SubmitOutcome;

interface SubmissionOptions<F extends FormFields> extends FieldsOptions {
  /** The wallet that the form is about. Each wallet has its own draft. */
  readonly wallet?: string;
  readonly path: `/api/${string}`;
  /** Returns the body of the call. `at` is the time of the first attempt, ISO 8601. */
  readonly payload: (values: TypedValues<F>, at: string) => object;
  /** Sends the values in a format other than JSON, which is the default. */
  readonly upload?: (values: TypedValues<F>, key: string) => Promise<SubmitOutcome>;
  readonly onAccepted?: (referenceNumber: string) => void;
  readonly onFailed?: (failure: SubmitFailure) => void;
}

export interface Submission extends FieldsForm {
  readonly sending: Sending;
  readonly element: Pick<ComponentProps<'form'>, 'onSubmit' | 'onChange' | 'noValidate'>;
  readonly setFile: (name: string, file: File | null) => void;
  /** The fingerprints of files in the draft, by field. The visitor has to choose them again. */
  readonly draftFiles: Readonly<Record<string, string>>;
  readonly retry: () => void;
}

/** The values for a draft: those that the visitor can change, with fingerprints in place of files. */
function draftOf({ fields }: FormSpec, values: FieldValues): Readonly<Record<string, string>> {
  const changeable = Object.entries(values).filter(([name]) => name in fields && !fields[name]?.readOnly);
  return Object.fromEntries(
    changeable.map(([name, value]) => [name, value instanceof File ? fileFingerprint(value) : (value ?? '')]),
  );
}

function emptyValues({ fields }: FormSpec, initial: FieldsOptions['initial']): FieldValues {
  const values = Object.entries(fields).map(([name, { kind }]) => [name, kind === 'file' ? null : '']);
  return { ...Object.fromEntries(values), ...initial, [HONEYPOT]: '' };
}

/**
 * A form that is sent to the team. Its draft survives a reload, and a failure keeps every field. Retries send the same
 * idempotency key, so that the server accepts the form only once.
 */
export function useSubmission<F extends FormFields>(
  spec: FormSpec & { readonly fields: F },
  options: SubmissionOptions<F>,
): Submission {
  const name = draftName(spec.name, options.wallet);
  const [draft] = useState(() => {
    const stored = readDraft(name);
    return { values: draftOf(spec, stored?.values ?? {}), attempt: stored?.attempt ?? null };
  });
  const form = useFields(spec, { ...options, initial: { ...options.initial, ...draft.values } });
  const { handleSubmit, getValues, setValue, reset, formState } = form.fields;
  const { isSubmitted } = formState;
  const attempt = useRef(draft.attempt);
  const isInFlight = useRef(false);
  const [sending, setSending] = useState<Sending>({ kind: 'idle' });
  const [draftFiles, setDraftFiles] = useState(draft.values);
  const [empty] = useState(() => emptyValues(spec, options.initial));

  const save = (values: FieldValues) => {
    const changed = draftOf(spec, values);
    const isEmpty = JSON.stringify(changed) === JSON.stringify(draftOf(spec, empty));
    storeDraft(name, isEmpty ? null : { values: changed, attempt: attempt.current });
  };

  const send = async (values: FieldValues) => {
    const typed = values as TypedValues<F>;
    const sent = JSON.stringify({ ...options.payload(typed, ''), ...draftOf(spec, values) });
    const current = attemptFor(attempt.current, sent);
    attempt.current = current;
    save(values);
    setSending({ kind: 'submitting' });
    const outcome = await (options.upload
      ? options.upload(typed, current.key)
      : submitForm(options.path, options.payload(typed, current.at), current.key));
    setSending(outcome);
    if (outcome.kind !== 'accepted') {
      // A password manager may have filled in the hidden field, which people cannot clear.
      if (outcome.kind === 'refused') setValue(HONEYPOT, '');
      options.onFailed?.(outcome);
      return;
    }
    attempt.current = null;
    const [address] = Object.entries(spec.fields).find(([, { kind }]) => kind === 'email') ?? [];
    if (address !== undefined) acceptedEmails.set(outcome.referenceNumber, String(values[address]));
    // Keeps what was typed while the form was being sent.
    const now = getValues();
    const remaining: FieldValues = Object.fromEntries(
      Object.entries(empty).map(([field, emptyValue]) => [
        field,
        now[field] === values[field] ? emptyValue : (now[field] ?? emptyValue),
      ]),
    );
    reset(remaining);
    save(remaining);
    setDraftFiles({});
    options.onAccepted?.(outcome.referenceNumber);
  };

  const submit = async () => {
    if (isInFlight.current) return;
    isInFlight.current = true;
    try {
      await handleSubmit(send)();
    } finally {
      isInFlight.current = false;
    }
  };

  return {
    ...form,
    hasTrap: true,
    sending,
    element: {
      noValidate: true,
      onSubmit: (event) => {
        event.preventDefault();
        void submit();
      },
      onChange: () => save(getValues()),
    },
    setFile: (field, file) => {
      setValue(field, file, { shouldValidate: isSubmitted });
      setDraftFiles(({ [field]: _, ...others }) => others);
      save(getValues());
    },
    draftFiles,
    retry: () => void submit(),
  };
}
