import { type ComponentProps, useRef, useState } from 'react';
import type { FormFields, FormSpec } from '../../../data/model/forms/field.ts';
import { type SubmitOutcome, submitForm } from '../../data/submit-form.ts';
import { emailByReference } from './AnswersChatLink.tsx';
import { attemptFor, draftName, fileFingerprint, readDraft, storeDraft } from './draft.ts';
import {
  type FieldsForm,
  type FieldsOptions,
  type FieldValues,
  type FormValues,
  HONEYPOT,
  useFields,
} from './use-fields.ts';

export type SubmitFailure = Exclude<SubmitOutcome, { readonly kind: 'accepted' }>;
export type SendState = { readonly kind: 'idle' } | { readonly kind: 'submitting' } | SubmitOutcome;

interface SubmissionOptions<F extends FormFields> extends FieldsOptions {
  /** The wallet that the form is about. Each wallet has its own draft. */
  readonly wallet?: string;
  readonly path: `/api/${string}`;
  /** Returns the request body. `at` is the time of the first attempt, ISO 8601. */
  readonly payload: (values: FormValues<F>, at: string) => object;
  /** Sends the values in another format. By default, they are sent as JSON. */
  readonly upload?: (values: FormValues<F>, idempotencyKey: string) => Promise<SubmitOutcome>;
  readonly onAccepted?: (referenceNumber: string) => void;
  readonly onFailed?: (failure: SubmitFailure) => void;
}

export interface Submission extends FieldsForm {
  readonly sendState: SendState;
  readonly formProps: Pick<ComponentProps<'form'>, 'onSubmit' | 'onChange' | 'noValidate'>;
  readonly setFile: (name: string, file: File | null) => void;
  /** The values of the stored draft, by field, with fingerprints instead of files. The visitor has to choose the files again. */
  readonly storedDraft: Readonly<Record<string, string>>;
  readonly retry: () => void;
}

/** The values for a draft: those that the visitor can change, with fingerprints instead of files. */
function draftOf({ fields }: FormSpec, values: FieldValues): Readonly<Record<string, string>> {
  const changeableEntries = Object.entries(values).filter(
    ([name]) => name in fields && !fields[name]?.readOnly,
  );
  return Object.fromEntries(
    changeableEntries.map(([name, value]) => [
      name,
      value instanceof File ? fileFingerprint(value) : (value ?? ''),
    ]),
  );
}

function emptyValues({ fields }: FormSpec, initialValues: FieldsOptions['initialValues']): FieldValues {
  const values = Object.entries(fields).map(([name, { kind }]) => [name, kind === 'file' ? null : '']);
  return { ...Object.fromEntries(values), ...initialValues, [HONEYPOT]: '' };
}

/**
 * A form that is sent to the team. Its draft survives a reload, and a failed submission clears no field. Retries send the
 * same idempotency key, so that the server accepts the form only once.
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
  const form = useFields(spec, { ...options, initialValues: { ...options.initialValues, ...draft.values } });
  const { handleSubmit, getValues, setValue, reset, formState } = form.hookForm;
  const { isSubmitted } = formState;
  const attempt = useRef(draft.attempt);
  const isInFlight = useRef(false);
  const [sendState, setSendState] = useState<SendState>({ kind: 'idle' });
  const [storedDraft, setStoredDraft] = useState(draft.values);
  const [blankValues] = useState(() => emptyValues(spec, options.initialValues));

  const saveDraft = (values: FieldValues) => {
    const draftValues = draftOf(spec, values);
    const isEmpty = JSON.stringify(draftValues) === JSON.stringify(draftOf(spec, blankValues));
    storeDraft(name, isEmpty ? null : { values: draftValues, attempt: attempt.current });
  };

  const send = async (values: FieldValues) => {
    const formValues = values as FormValues<F>;
    const sentValues = JSON.stringify({ ...options.payload(formValues, ''), ...draftOf(spec, values) });
    const currentAttempt = attemptFor(attempt.current, sentValues);
    attempt.current = currentAttempt;
    saveDraft(values);
    setSendState({ kind: 'submitting' });
    const outcome = await (options.upload
      ? options.upload(formValues, currentAttempt.key)
      : submitForm(options.path, options.payload(formValues, currentAttempt.at), currentAttempt.key));
    setSendState(outcome);
    if (outcome.kind !== 'accepted') {
      // A password manager may have filled in the hidden field, which people cannot clear.
      if (outcome.kind === 'refused') setValue(HONEYPOT, '');
      options.onFailed?.(outcome);
      return;
    }
    attempt.current = null;
    const [emailFieldName] = Object.entries(spec.fields).find(([, { kind }]) => kind === 'email') ?? [];
    if (emailFieldName !== undefined)
      emailByReference.set(outcome.referenceNumber, String(values[emailFieldName]));
    // Keeps what the visitor typed while the form was being sent.
    const currentValues = getValues();
    const remainingValues: FieldValues = Object.fromEntries(
      Object.entries(blankValues).map(([field, emptyValue]) => [
        field,
        currentValues[field] === values[field] ? emptyValue : (currentValues[field] ?? emptyValue),
      ]),
    );
    reset(remainingValues);
    saveDraft(remainingValues);
    setStoredDraft({});
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
    hasHoneypot: true,
    sendState,
    formProps: {
      noValidate: true,
      onSubmit: (event) => {
        event.preventDefault();
        void submit();
      },
      onChange: () => saveDraft(getValues()),
    },
    setFile: (field, file) => {
      setValue(field, file, { shouldValidate: isSubmitted });
      setStoredDraft(({ [field]: _, ...others }) => others);
      saveDraft(getValues());
    },
    storedDraft,
    retry: () => void submit(),
  };
}
