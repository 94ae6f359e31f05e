import { Alert, Button, Result, Space } from 'antd'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { failureText } from '@/api/client'
import { usePermit } from '../Permit'
import { FormPlaceProvider, useFormPlace } from './place'
import { MAIN, RecordBody, type RecordParts } from './RecordBody'
import './record.css'

interface RecordPageProps<Row extends { version: number }> extends RecordParts<Row> {
  /** What is said when the address names none: `地址中缺少角色编号`. */
  unnamed: string
  /** The list that it is of. */
  back: { to: string; text: string }
}

/** A record as a page of its own. */
export function RecordPage<Row extends { version: number }>({ unnamed, back, ...parts }: RecordPageProps<Row>) {
  const { id, query, words, title } = parts
  const { place, form, saving } = useFormPlace()
  const navigate = useNavigate()
  const goBack = () => void navigate(back.to)
  const [tab, setTab] = useState(MAIN)
  if (id === '' || query.isError) {
    return (
      <section className="panel">
        <Result
          status="warning"
          title={id === '' ? unnamed : failureText(query.error, words.failure)}
          extra={<Button onClick={goBack}>{back.text}</Button>}
        />
      </section>
    )
  }
  return (
    <Page title={query.data ? title(query.data) : words.untitled} form={tab === MAIN ? form : undefined} saving={saving} onBack={goBack}>
      <FormPlaceProvider value={place}>
        <RecordBody parts={parts} editing={form !== undefined} tab={tab} onTab={setTab} />
      </FormPlaceProvider>
    </Page>
  )
}

interface NewRecordPageProps {
  /** `新增角色模板`. */
  title: string
  /** Who may add one, and the title of the page that stands for that right. */
  need?: { code: string; page: string }
  /** Where it leads when it is saved or given up. */
  back: string
  children(back: () => void): ReactNode
}

/** The form of a new record as a page of its own. */
export function NewRecordPage({ title, need, back, children }: NewRecordPageProps) {
  const { place, form, saving } = useFormPlace()
  const navigate = useNavigate()
  const goBack = () => void navigate(back)
  const permitted = usePermit(need?.code ?? '') || need === undefined
  return (
    <Page title={title} form={form} saving={saving} onBack={goBack}>
      {permitted ? (
        <FormPlaceProvider value={place}>{children(goBack)}</FormPlaceProvider>
      ) : (
        <Alert type="warning" showIcon title={`没有${title}的权限`} description={`请联系管理员为您的角色添加「${need.page}」权限。`} />
      )}
    </Page>
  )
}

interface PageProps {
  title: ReactNode
  /** The id of the form to save; none when there is nothing to. */
  form: string | undefined
  saving: boolean
  onBack(): void
  children: ReactNode
}

function Page({ title, form, saving, onBack, children }: PageProps) {
  return (
    <section className="panel record-page">
      <h1>{title}</h1>
      {children}
      <Space>
        {form && (
          <Button type="primary" htmlType="submit" form={form} loading={saving}>
            保存
          </Button>
        )}
        <Button onClick={onBack}>{form ? '取消' : '返回'}</Button>
      </Space>
    </section>
  )
}
