import { type RefObject, type SubmitEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { cleanLine } from '../../../data/model/form-text.ts';
import { type SubmitOutcome, submitForm } from '../../data/submit-form.ts';
import { attemptFor } from './attempt.ts';
import { type Attempt, forgetDraft, keepDraft, readDraft } from './draft.ts';
import type { FieldWiring } from './Field.tsx';

/** What a form is: its fields, their rules, and how it is sent. */
export interface FormPlan<Name extends string> {
  /** Names its draft, and is the beginning of its fields' ids. */
  readonly name: string;
  readonly initial: Readonly<Record<Name, string>>;
  /** The fault of a value in words, or null. */
  readonly rules: Readonly<Partial<Record<Name, (value: string) => string | null>>>;
  readonly path: `/api/${string}`;
  /** The body of the call; `at` is when it was first sent, ISO 8601. */
  readonly payload: (values: Readonly<Record<Name, string>>, at: string) => unknown;
  /** Sends it in place of the usual way, which is the payload as JSON. */
  readonly send?: (values: Readonly<Record<Name, string>>, key: string) => Promise<SubmitOutcome>;
  /** Called once it was taken. */
  readonly onAccepted?: (referenceNumber: string) => void;
  /** Called whenever it was not. */
  readonly onFailed?: (failure: SubmitFailure) => void;
}

export type SubmitFailure = Exclude<SubmitOutcome, { readonly kind: 'accepted' }>;

export type Sending = { readonly kind: 'idle' } | { readonly kind: 'submitting' } | SubmitOutcome;

export interface Fault {
  readonly id: string;
  readonly words: string;
}

export interface Form<Name extends string> {
  readonly values: Readonly<Record<Name, string>>;
  readonly sending: Sending;
  /** Faults of the values as they were when it was last submitted, and are still there. */
  readonly faults: readonly Fault[];
  readonly field: (name: Name) => FieldWiring;
  readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  /** Sends it once more as it stands. */
  readonly retry: () => void;
  /** Gets the focus when there are faults. */
  readonly summary: RefObject<HTMLDivElement | null>;
}

/** The field that people do not see (`Trap`). They cannot empty it either, where a program filled it in for them. */
const TRAP = 'website';

function faultOf<Name extends string>(plan: FormPlan<Name>, name: Name, value: string): string | null {
  return plan.rules[name]?.(cleanLine(value)) ?? null;
}

/**
 * The state of a form. A draft survives a reload, a failed submission keeps every field, and the same form sent again is
 * known to the server by the same key, so that it is never taken twice.
 */
export function useForm<Name extends string>(plan: FormPlan<Name>): Form<Name> {
  const [values, setValues] = useState(plan.initial);
  const [sending, setSending] = useState<Sending>({ kind: 'idle' });
  const [isChecked, setChecked] = useState(false);
  const attempt = useRef<Attempt | null>(null);
  const isUnderWay = useRef(false);
  const summary = useRef<HTMLDivElement>(null);
  const names = Object.keys(plan.initial) as Name[];
  /** What is in the fields now, for whoever began before it was typed. */
  const typed = useRef(values);
  useLayoutEffect(() => {
    typed.current = values;
  });

  useLayoutEffect(() => {
    const draft = readDraft(plan.name);
    if (!draft) return;
    attempt.current = draft.attempt;
    setValues((before) => {
      const kept = Object.entries(draft.values).filter(
        ([name]) => name !== TRAP && Object.hasOwn(before, name),
      );
      return { ...before, ...Object.fromEntries(kept) };
    });
  }, [plan.name]);

  const faults = names.flatMap((name) => {
    const words = isChecked ? faultOf(plan, name, values[name]) : null;
    return words === null ? [] : [{ id: `${plan.name}-${name}`, words, name }];
  });

  // The faults are in the page once it was drawn with them.
  const [wanted, setWanted] = useState(0);
  useEffect(() => {
    if (wanted > 0) summary.current?.focus();
  }, [wanted]);

  const send = async () => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSending({ kind: 'submitting' });
    const sent = JSON.stringify(plan.payload(values, ''));
    const current = attemptFor(attempt.current, sent);
    attempt.current = current;
    keepDraft(plan.name, { values, attempt: current });
    const outcome = plan.send
      ? await plan.send(values, current.key)
      : await submitForm(plan.path, plan.payload(values, current.at), current.key);
    isUnderWay.current = false;
    setSending(outcome);
    if (outcome.kind !== 'accepted') {
      if (outcome.kind === 'refused') {
        setValues((now) => (Object.hasOwn(now, TRAP) ? { ...now, [TRAP]: '' } : now));
      }
      plan.onFailed?.(outcome);
      return;
    }
    attempt.current = null;
    // What was typed while it was under way was not sent, and is not thrown away.
    const isSent = (name: Name) => typed.current[name] === values[name];
    const left: Record<Name, string> = { ...typed.current };
    for (const name of names.filter(isSent)) left[name] = plan.initial[name];
    setValues(left);
    if (names.every(isSent)) forgetDraft(plan.name);
    else keepDraft(plan.name, { values: left, attempt: null });
    setChecked(false);
    plan.onAccepted?.(outcome.referenceNumber);
  };

  const submit = () => {
    setChecked(true);
    if (names.some((name) => faultOf(plan, name, values[name]) !== null)) setWanted((count) => count + 1);
    else void send();
  };

  return {
    values,
    sending,
    faults,
    field: (name) => ({
      id: `${plan.name}-${name}`,
      name,
      value: values[name],
      fault: faults.find((fault) => fault.name === name)?.words ?? null,
      onValue: (value) => {
        const changed = { ...values, [name]: value };
        setValues(changed);
        keepDraft(plan.name, { values: changed, attempt: attempt.current });
      },
    }),
    onSubmit: (event) => {
      event.preventDefault();
      submit();
    },
    retry: submit,
    summary,
  };
}
