import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import { Field } from '../form/Field.tsx';
import form from '../form/form.module.css';
import { Loaded } from './AdminPage.tsx';
import {
  type ChangeSender,
  type ChatReport,
  type TriedQuestion,
  tryQuestionQuery,
  useChange,
  useHasRole,
} from './admin-calls.ts';
import styles from './assistant.module.css';
import { FormActions, Notice } from './form-parts.tsx';

/** How many of the nearest questions are offered before the admin searches. */
const MAX_NEAREST = 3;
const OMISSION = '…';

type Group = ChatReport['groups'][number];

interface QuestionGroupProps {
  /** The most frequent question in the group. */
  readonly question: string;
  readonly group: Group;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** Called with a message for the admin and, after an addition, with the added question, which Duckling can now answer. */
  readonly onSettled: (message: string, question?: string) => void;
}

export const dateText = (moment: string) =>
  new Date(moment).toLocaleDateString(undefined, { dateStyle: 'medium' });

const timesText = (count: number) => (count === 1 ? 'once' : `${count} times`);

/** A group of unanswered questions with the same meaning. */
export function QuestionGroup({ question, group, isOpen, onToggle, onSettled }: QuestionGroupProps) {
  const id = useId();
  const { questions, timesAsked, lastAskedAt } = group;
  return (
    <li className={styles.group} data-open={isOpen}>
      <h4>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={onToggle}
        >
          <span className={styles.question}>{question}</span>
          <span className={styles.note}>
            Asked {timesText(timesAsked)}
            {questions.length > 1 ? ` in ${questions.length} wordings` : ''}, last on {dateText(lastAskedAt)}
          </span>
        </button>
      </h4>
      {isOpen ? (
        <div id={id} className={styles.panel}>
          {questions.length > 1 ? (
            <ul className={styles.wordings} aria-label="Other wordings">
              {questions.slice(1).map((one) => (
                <li key={one.question}>
                  {one.question} <span className={styles.note}>{timesText(one.timesAsked)}</span>
                </li>
              ))}
            </ul>
          ) : null}
          <GroupActions question={question} group={group} onSettled={onSettled} />
        </div>
      ) : null}
    </li>
  );
}

interface FormProps extends Pick<QuestionGroupProps, 'onSettled'> {
  readonly question: string;
  /** All questions in the group. Adding an answer or a phrasing settles them. */
  readonly settledQuestions: string[];
  readonly change: ChangeSender;
}

function GroupActions({
  question,
  group,
  onSettled,
}: Pick<QuestionGroupProps, 'question' | 'group' | 'onSettled'>) {
  const mayChange = useHasRole('reviewer');
  const change = useChange();
  const [isWriting, setWriting] = useState(false);
  const settledQuestions = group.questions.map((one) => one.question);
  const formProps = {
    question: question.replaceAll(OMISSION, ' ').replaceAll(/\s+/g, ' ').trim(),
    settledQuestions,
    change,
  };
  const dismiss = () =>
    change.sendAndNotify(PATHS.dismissQuestions, { questions: settledQuestions }, () => {
      onSettled(
        `Dismissed. Hidden until the question is asked ${PORTAL_LIMITS.questionReappearsAfter} more times.`,
      );
      return null;
    });
  // Waits for the role. A switch from `NearestQuestions` to `PhrasingForm` would read the nearest questions twice.
  if (mayChange === undefined) return <p>Loading...</p>;
  if (!mayChange) return <NearestQuestions question={question} />;
  if (isWriting) return <AnswerForm {...formProps} onSettled={onSettled} onBack={() => setWriting(false)} />;
  return (
    <PhrasingForm {...formProps} storedQuestion={question} onSettled={onSettled}>
      <button type="button" className="button" disabled={change.isBusy} onClick={() => setWriting(true)}>
        Write a new answer
      </button>
      <button type="button" className="button" disabled={change.isBusy} onClick={() => void dismiss()}>
        Dismiss
      </button>
    </PhrasingForm>
  );
}

/** Lists the nearest questions, for admins who may not add phrasings or answers. */
function NearestQuestions({ question }: { readonly question: string }) {
  return (
    <Loaded reading={useQuery(tryQuestionQuery(question, 'nearest'))} what="the closest questions">
      {({ nearest }) => (
        <>
          <p className={styles.label}>Closest questions</p>
          <ul className={styles.wordings}>
            {nearest.slice(0, MAX_NEAREST).map(({ href, title }) => (
              <li key={href + title}>{href.startsWith('/') ? <a href={href}>{title}</a> : title}</li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

const PERSONAL_DATA_HINT = 'Leave out names, addresses and other personal data.';

function QuestionField(props: {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly label: string;
  readonly hint: string;
}) {
  return (
    <Field
      {...props}
      id="addition-question"
      name="question"
      autoComplete="off"
      maxLength={PORTAL_LIMITS.additionQuestionLength}
    />
  );
}

interface PhrasingFormProps extends FormProps {
  /** The stored question, with `OMISSION` in place of words that were left out. */
  readonly storedQuestion: string;
  readonly children: React.ReactNode;
}

/** Adds a phrasing to one of the nearest questions, or to a question that the admin searches for. */
function PhrasingForm({
  question,
  storedQuestion,
  settledQuestions,
  change,
  onSettled,
  children,
}: PhrasingFormProps) {
  const [text, setText] = useState(question);
  const [typedSearch, setTypedSearch] = useState('');
  const [submittedSearch, setSubmittedSearch] = useState('');
  const [chosenKey, setChosenKey] = useState<string | null>(null);
  const reading = useQuery(tryQuestionQuery(submittedSearch || storedQuestion, 'nearest'));
  const { isBusy, notice, sendAndNotify, showError } = change;
  const nearestQuestions =
    reading.data?.nearest.slice(0, submittedSearch === '' ? MAX_NEAREST : undefined) ?? [];
  const chosenQuestion = nearestQuestions.find((one) => keyOf(one) === chosenKey) ?? nearestQuestions[0];
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (chosenQuestion === undefined) return showError('Choose a question.');
    const { href, title } = chosenQuestion;
    void sendAndNotify(PATHS.addPhrasing, { question: text, href, title, settles: settledQuestions }, () => {
      onSettled('Added. This is what Duckling answers now:', text.trim());
      return null;
    });
  };
  const submitSearch = () => setSubmittedSearch(typedSearch.trim());
  return (
    <form className={form.form} onSubmit={submit} aria-label="Add a wording" noValidate>
      <QuestionField
        label="Wording"
        hint={
          storedQuestion.includes(OMISSION)
            ? `${PERSONAL_DATA_HINT} “${OMISSION}” stands for words that were left out: add them if they matter.`
            : PERSONAL_DATA_HINT
        }
        value={text}
        onValue={setText}
      />
      <fieldset className={styles.nearest} aria-busy={reading.isFetching}>
        <legend>Answered with</legend>
        <Loaded reading={reading} what="the closest questions">
          {() =>
            nearestQuestions.length === 0 ? (
              <p data-empty>No similar question found. Search for one, or write a new answer.</p>
            ) : (
              nearestQuestions.map((one) => (
                <label key={keyOf(one)} className={styles.choice}>
                  <input
                    type="radio"
                    name="passage"
                    checked={one === chosenQuestion}
                    onChange={() => setChosenKey(keyOf(one))}
                  />
                  <span>
                    {one.title} <span className={styles.note}>{one.page}</span>
                  </span>
                </label>
              ))
            )
          }
        </Loaded>
      </fieldset>
      {/* biome-ignore lint/a11y/useSemanticElements: a form cannot be in a form */}
      <div
        role="search"
        className={styles.row}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          submitSearch();
        }}
      >
        <Field
          id="question-search"
          name="search"
          label="Search for another question"
          value={typedSearch}
          onValue={setTypedSearch}
          autoComplete="off"
          maxLength={PORTAL_LIMITS.chatQuestionLength}
          optional
        />
        <button type="button" className="button" onClick={submitSearch}>
          Search
        </button>
      </div>
      <Notice notice={notice} />
      <div className={form.actions}>
        <button type="submit" className="button gold" disabled={isBusy || chosenQuestion === undefined}>
          {isBusy ? 'Saving...' : 'Add this wording'}
        </button>
        {children}
      </div>
    </form>
  );
}

const keyOf = ({ href, title }: TriedQuestion['nearest'][number]) => `${href} ${title}`;

function AnswerForm({
  question,
  settledQuestions,
  change,
  onSettled,
  onBack,
}: FormProps & { readonly onBack: () => void }) {
  const [text, setText] = useState(question);
  const [answer, setAnswer] = useState('');
  const { isBusy, notice, sendAndNotify } = change;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    void sendAndNotify(PATHS.addAnswer, { question: text, answer, settles: settledQuestions }, () => {
      onSettled('Added. This is what Duckling answers now:', text.trim());
      return null;
    });
  };
  return (
    <form className={form.form} onSubmit={submit} aria-label="Write a new answer" noValidate>
      <QuestionField label="Question" hint={PERSONAL_DATA_HINT} value={text} onValue={setText} />
      <Field
        id="addition-answer"
        name="answer"
        label="Answer"
        hint={`Plain text, at most ${PORTAL_LIMITS.additionAnswerLength} characters. Duckling shows it as “Answered by the team”, with the date.`}
        value={answer}
        onValue={setAnswer}
        rows={6}
        maxLength={PORTAL_LIMITS.additionAnswerLength}
      />
      <Notice notice={notice} />
      <FormActions
        submitLabel="Add answer"
        busyLabel="Saving..."
        isBusy={isBusy}
        isDisabled={answer.trim() === ''}
        cancelLabel="Back"
        onCancel={onBack}
      />
    </form>
  );
}
