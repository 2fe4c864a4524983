import { useEffect, useState } from 'react';
import { ANSWERS_LABEL, readAnswersChatUrl, type SubmissionKey } from './answers-chat.ts';

/** The email addresses in the forms that this page sent, by reference number. */
export const emailByReference = new Map<string, string>();

/** A link to a chat that gets a message about each answer. Renders nothing if there is no such chat. */
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
