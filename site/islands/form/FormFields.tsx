import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { useFormState } from 'react-hook-form';
import type { FormField } from '../../../data/model/forms/field.ts';
import { type Choice, ErrorSummary, FieldFrame, InputLine, SelectOptions } from './Field.tsx';
import { choicesOf, fieldGroups, inputOf } from './field-input.ts';
import styles from './form.module.css';
import { type FieldsForm, HONEYPOT, idOf } from './use-fields.ts';

interface FormFieldsProps {
  readonly form: FieldsForm;
  /** Content to show after a field, by field name. */
  readonly contentAfter?: Readonly<Record<string, ReactNode>>;
  readonly countries?: readonly Choice[];
  readonly renderFile?: (name: string, error: string | null) => ReactNode;
}

export function FormFields({ form, contentAfter = {}, countries = [], renderFile }: FormFieldsProps) {
  const { spec, hookForm, hasHoneypot } = form;
  const { errors, submitCount } = useFormState({ control: hookForm.control });
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The summary is rendered by now.
    if (submitCount > 0) summary.current?.focus();
  }, [submitCount]);
  const messageOf = (name: string): string | null => errors[name]?.message ?? null;
  const summaryErrors = Object.keys(spec.fields).flatMap((name) => {
    const message = messageOf(name);
    return message === null ? [] : [{ id: idOf(form, name), message }];
  });

  const renderField = (name: string, field: FormField): ReactNode => {
    if (field.kind === 'file') return renderFile?.(name, messageOf(name));
    const { label, hint, halfWidth: isHalfWidth, optional = false, readOnly = false, rows } = field;
    const { prefix, suffix, isMono = false, ...attributes } = inputOf(field);
    const choices = field.kind === 'country' ? countries : choicesOf(field);
    const registration = { ...hookForm.register(name), required: !optional && !readOnly };
    return (
      <FieldFrame
        id={idOf(form, name)}
        label={label}
        hint={hint}
        isHalfWidth={isHalfWidth}
        optional={optional}
        error={messageOf(name)}
      >
        {(inputAttributes) => {
          if (choices.length > 0) {
            return (
              <select
                {...inputAttributes}
                {...registration}
                className={styles.lines}
                autoComplete={attributes.autoComplete}
                // Without a default value, the browser would choose the first option that is not disabled.
                defaultValue=""
              >
                <SelectOptions choices={choices} optional={optional} />
              </select>
            );
          }
          if (rows !== undefined) {
            return <textarea {...inputAttributes} {...registration} className={styles.lines} rows={rows} />;
          }
          return (
            <InputLine prefix={prefix} suffix={suffix} isMono={isMono}>
              <input
                {...inputAttributes}
                {...registration}
                {...attributes}
                readOnly={readOnly}
                spellCheck={attributes.type === 'text' && !isMono ? undefined : false}
              />
            </InputLine>
          );
        }}
      </FieldFrame>
    );
  };

  return (
    <>
      <ErrorSummary errors={summaryErrors} summary={summary} />
      {fieldGroups<FormField>(spec.fields).map(({ legend, fields: group }) => (
        <Group key={legend} legend={legend}>
          {group.map(([name, field]) => (
            <Fragment key={name}>
              {renderField(name, field)}
              {contentAfter[name]}
            </Fragment>
          ))}
        </Group>
      ))}
      {hasHoneypot ? (
        // People do not see this field, so only bots fill it in. If it is not empty, the server rejects the form.
        <div className={styles.honeypot} aria-hidden="true">
          <label htmlFor={idOf(form, HONEYPOT)}>Leave this empty</label>
          <input
            {...hookForm.register(HONEYPOT)}
            id={idOf(form, HONEYPOT)}
            tabIndex={-1}
            autoComplete="off"
          />
        </div>
      ) : null}
    </>
  );
}

function Group({ legend, children }: { readonly legend: string | null; readonly children: ReactNode }) {
  const grid = <div className={styles.grid}>{children}</div>;
  return legend === null ? (
    grid
  ) : (
    <fieldset>
      <legend>{legend}</legend>
      {grid}
    </fieldset>
  );
}

export function DraftHint() {
  return (
    <p className={styles.quiet}>
      What you type is kept in this tab until you send it. Reloading the page loses nothing, but closing the
      tab deletes it.
    </p>
  );
}
