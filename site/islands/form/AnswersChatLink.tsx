import { useEffect, useState } from 'react';
import { ANSWERS_LABEL, readAnswersChatUrl, type SubmissionKey } from './answers-chat.ts';

/** The email addresses from the forms that were sent on this page, by reference number. */
export const emailByReference = new Map<string, string>();

/** A link to get the team's answers on Telegram. Renders nothing if the server returns no link. */
export function AnswersChatLink({ referenceNumber, email, proof }: SubmissionKey) {
  const [chatUrl, setChatUrl] = useState<string | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    void readAnswersChatUrl({ referenceNumber, email, proof }, controller.signal).then((url) => {
      if (!controller.signal.aborted) setChatUrl(url);
    });
    return () => controller.abort();
  }, [referenceNumber, email, proof]);
  return chatUrl === null ? null : (
    <a className="button" href={chatUrl} target="_blank" rel="noreferrer" data-answers-in-telegram>
      {ANSWERS_LABEL}
    </a>
  );
}
