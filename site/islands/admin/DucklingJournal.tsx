import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import { Field } from '../form/Field.tsx';
import { focusOnMount } from '../form/focus-on-mount.ts';
import { AdminPage, Loaded, ReadError } from './AdminPage.tsx';
import admin from './admin.module.css';
import {
  type ChangeNotice,
  type ChatReport,
  chatQuery,
  type TriedQuestion,
  tryQuestionQuery,
  useChange,
  useHasRole,
} from './admin-calls.ts';
import styles from './assistant.module.css';
import { FormActions, Notice } from './form-parts.tsx';
import { dateText, QuestionGroup } from './QuestionGroup.tsx';

/** The number of groups shown at first, and the number that each “Show more” adds. */
const GROUPS_SHOWN = 10;

export default function DucklingJournal() {
  return (
    <AdminPage>
      <AssistantReport />
    </AdminPage>
  );
}

function AssistantReport() {
  /** The most frequent question of the open group; null if no group is open. */
  const [openQuestion, setOpenQuestion] = useState<string | null>(null);
  return (
    <section aria-labelledby="assistant" className={`${admin.section} ${styles.assistant}`}>
      <h2 id="assistant" className="visually-hidden">
        Duckling
      </h2>
      <Loaded reading={useQuery(chatQuery(openQuestion !== null))} what="Duckling">
        {({ groups, additions, verdicts }) => (
          <>
            <UnansweredQuestions groups={groups} openQuestion={openQuestion} onOpen={setOpenQuestion} />
            <TryIt />
            <Additions additions={additions} />
            <Feedback verdicts={verdicts} additions={additions} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Heading({ text, count }: { readonly text: string; readonly count: number }) {
  return (
    <h3>
      {text} <span className={styles.count}>{count}</span>
    </h3>
  );
}

/** A notice that takes the focus, because the row with the pressed button is gone. */
function FocusedNotice({ notice }: { readonly notice: ChangeNotice | null }) {
  if (notice === null) return null;
  return (
    <div className={styles.notice} tabIndex={-1} ref={focusOnMount}>
      <Notice notice={notice} />
    </div>
  );
}

interface UnansweredQuestionsProps {
  readonly groups: ChatReport['groups'];
  readonly openQuestion: string | null;
  readonly onOpen: (question: string | null) => void;
}

function UnansweredQuestions({ groups, openQuestion, onOpen }: UnansweredQuestionsProps) {
  const [shownCount, setShownCount] = useState(GROUPS_SHOWN);
  const [settledNotice, setSettledNotice] = useState<{
    readonly message: string;
    readonly question?: string;
  } | null>(null);
  const settle = (message: string, question?: string) => {
    onOpen(null);
    setSettledNotice({ message, ...(question !== undefined && { question }) });
  };
  return (
    <>
      <Heading text="Unanswered questions" count={groups.length} />
      {settledNotice === null ? null : (
        <>
          <FocusedNotice
            key={settledNotice.question}
            notice={{ kind: 'done', message: settledNotice.message }}
          />
          {settledNotice.question === undefined ? null : <Answer question={settledNotice.question} />}
        </>
      )}
      {groups.length === 0 ? (
        <p data-empty>No unanswered questions.</p>
      ) : (
        <ul className={styles.groups}>
          {groups.slice(0, shownCount).map((group) => {
            const [firstQuestion] = group.questions;
            if (firstQuestion === undefined) return null;
            const { question } = firstQuestion;
            return (
              <QuestionGroup
                key={question}
                question={question}
                group={group}
                isOpen={openQuestion === question}
                onToggle={() => {
                  setSettledNotice(null);
                  onOpen(openQuestion === question ? null : question);
                }}
                onSettled={settle}
              />
            );
          })}
        </ul>
      )}
      {groups.length > shownCount ? (
        <p>
          <button type="button" className="button" onClick={() => setShownCount(shownCount + GROUPS_SHOWN)}>
            Show more
          </button>
        </p>
      ) : null}
    </>
  );
}

const paragraphsOf = (text: string) => text.split(/\n\s*\n/).filter((part) => part.trim() !== '');

const ANSWER_LABELS: Readonly<Record<TriedQuestion['answer']['kind'], string>> = {
  answer: 'Answer',
  figure: 'Live figures',
  'small-talk': 'Small talk',
  unknown: 'Not answered',
  refusal: 'Refused',
  warning: 'Warning',
};

function Answer({ question }: { readonly question: string }) {
  const reading = useQuery(tryQuestionQuery(question, 'answer'));
  const { data, isPlaceholderData } = reading;
  return (
    <div role="status">
      <ReadError reading={reading} what="the answer" />
      {data === undefined || isPlaceholderData ? (
        reading.error === null && <p>Loading...</p>
      ) : (
        <div className={styles.answer} data-kind={data.answer.kind}>
          <p className={styles.label}>
            {data.answer.by === 'team' ? 'Answered by the team' : ANSWER_LABELS[data.answer.kind]}
          </p>
          {paragraphsOf(data.answer.response).map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the paragraphs of one text keep their order
            <p key={index}>{part}</p>
          ))}
          {data.answer.sources.map(({ title, href }) => (
            <p key={href}>
              <a href={href}>{title}</a>
            </p>
          ))}
        </div>
      )}
    </div>
  );
}

function TryIt() {
  const [text, setText] = useState('');
  const [submittedQuestion, setSubmittedQuestion] = useState('');
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmittedQuestion(text.trim());
  };
  return (
    <>
      <h3 id="try-it">Try it</h3>
      <form className={styles.row} onSubmit={submit} aria-labelledby="try-it" noValidate>
        <Field
          id="try-question"
          name="question"
          label="Question to try"
          hint="Shows what Duckling answers now. Nothing is stored."
          value={text}
          onValue={setText}
          autoComplete="off"
          maxLength={PORTAL_LIMITS.chatQuestionLength}
        />
        <FormActions submitLabel="Ask" isBusy={false} isDisabled={text.trim() === ''} isPlain />
      </form>
      {submittedQuestion === '' ? null : <Answer question={submittedQuestion} />}
    </>
  );
}

type Addition = ChatReport['additions'][number];

function Additions({ additions }: { readonly additions: readonly Addition[] }) {
  const { isBusy, notice, sendAndNotify } = useChange();
  const mayChange = useHasRole('reviewer');
  /** The id of the addition whose withdrawal the admin must still confirm; null if there is none. */
  const [withdrawingId, setWithdrawingId] = useState<string | null>(null);
  return (
    <>
      <Heading text="Added by the team" count={additions.length} />
      <FocusedNotice notice={notice} />
      {additions.length === 0 ? (
        <p data-empty>Nothing added yet.</p>
      ) : (
        <ul className={styles.additions}>
          {additions.map((addition) => (
            <li key={addition.id}>
              <AdditionText addition={addition} />
              {mayChange ? (
                <div className={styles.withdraw}>
                  {withdrawingId === addition.id ? (
                    <>
                      <button
                        type="button"
                        className="button"
                        ref={focusOnMount}
                        disabled={isBusy}
                        onClick={() =>
                          void sendAndNotify(PATHS.withdrawAddition, { id: addition.id }, () => {
                            setWithdrawingId(null);
                            return 'Withdrawn. Duckling no longer uses it.';
                          })
                        }
                      >
                        Withdraw and delete
                      </button>
                      <button
                        type="button"
                        className="button"
                        disabled={isBusy}
                        onClick={() => setWithdrawingId(null)}
                      >
                        Keep
                      </button>
                    </>
                  ) : (
                    <button type="button" className="button" onClick={() => setWithdrawingId(addition.id)}>
                      Withdraw<span className="visually-hidden"> “{addition.question}”</span>
                    </button>
                  )}
                </div>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function AdditionText({
  addition: { question, answer, passage, by, addedAt },
}: {
  readonly addition: Addition;
}) {
  const isPage = passage?.href.startsWith('/') === true;
  return (
    <div className={styles.addition}>
      <p className={styles.question}>{question}</p>
      {answer === null ? null : paragraphsOf(answer).map((part) => <p key={part}>{part}</p>)}
      {passage === null ? null : (
        <p>
          Answered with{' '}
          {isPage && passage.isFound ? <a href={passage.href}>{passage.title}</a> : `“${passage.title}”`}
        </p>
      )}
      {passage?.isFound === false ? (
        <p className={styles.unused}>Not used: the site no longer has this answer.</p>
      ) : null}
      <p className={styles.note}>
        {answer === null ? 'New wording' : 'New answer'} by {by}, {dateText(addedAt)}
      </p>
    </div>
  );
}

interface FeedbackProps {
  readonly verdicts: ChatReport['verdicts'];
  readonly additions: readonly Addition[];
}

function Feedback({ verdicts, additions }: FeedbackProps) {
  const questionBySource = new Map(additions.map(({ id, question }) => [`team:${id}`, question]));
  return (
    <>
      <h3>Feedback from the last {PORTAL_LIMITS.chatVerdictDays} days</h3>
      {verdicts.length === 0 ? (
        <p data-empty>No feedback yet.</p>
      ) : (
        <ul className={admin.questions}>
          {verdicts.map(({ source, up, down }) => (
            <li key={source}>
              <span>
                {source.startsWith('/') ? (
                  <a href={source}>{source}</a>
                ) : (
                  (questionBySource.get(source) ??
                  (source.startsWith('team:') ? 'A withdrawn answer' : source))
                )}
              </span>
              <span className={admin.timesAsked}>
                {up} helpful, {down} not helpful
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
