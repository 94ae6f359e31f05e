import { useQuery, useQueryClient } from '@tanstack/react-query'
import { App } from 'antd'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { failureText, Refusal } from '@/api/client'
import type { Neighbours } from '../list/useArrows'
import { MAIN, RecordBody } from '../record/RecordBody'
import { ReviewBar } from '../record/ReviewBar'
import { Time } from '../Time'
import { useCommand } from '../useCommand'
import { Keys } from './Keys'
import { ReasonDialog } from './ReasonDialog'
import { type CaseView, overtakenText, type ReviewDecision, STALE } from './review'

interface ReviewCaseProps<Case extends { version: number }> {
  id: string
  /** The first part of the keys of all that goes stale with a decision. */
  family: readonly [string]
  view: CaseView<Case>
  neighbours: Neighbours
  keysShown: boolean
  /** Leads back to the queue, where it is not beside the case. */
  back?: ReactNode
  onKeys(shown: boolean): void
  /** It is decided, by this person or by another. */
  onDecided(): void
}

/** A case with all that is known of it, and its decisions. */
export function ReviewCase<Case extends { version: number }>(props: ReviewCaseProps<Case>) {
  const { id, family, view, neighbours, keysShown, back, onKeys, onDecided } = props
  const client = useQueryClient()
  const { message } = App.useApp()
  const [tab, setTab] = useState(MAIN)
  const [asking, setAsking] = useState<string | null>(null)
  const own = { queryKey: [...family, 'case', id], queryFn: ({ signal }: { signal: AbortSignal }) => view.load(id, signal) }
  const query = useQuery(own)
  const decisions = query.data ? view.decisions(query.data) : []

  const fieldOf = Object.fromEntries([STALE, ...view.overtaken].map((code) => [code, code]))
  const { mutate, isPending } = useCommand({
    // What was seen is what is decided: the decision of this case in this version.
    run: ({ key, reason }: { id: string; version: number; key: string; reason: string }, options) => {
      const send = decisions.find((decision) => decision.key === key)?.send
      return send ? send(reason, options) : Promise.reject(new Refusal(STALE, ''))
    },
    stale: [family],
    fieldOf,
  })
  /** Somebody was faster, or the case has changed: it is told which. */
  const lost = async (refusal: Refusal) => {
    try {
      const latest = await client.fetchQuery({ ...own, staleTime: 0 })
      const outcome = view.outcome(latest)
      if (outcome === null) {
        const text = refusal.code === STALE ? '内容刚刚有更新，请核对后再决定' : failureText(refusal)
        return void message.warning(text)
      }
      void message.info(overtakenText(view.title(latest), outcome))
      await client.invalidateQueries({ queryKey: family })
      onDecided()
    } catch (error) {
      void message.error(failureText(error))
    }
  }
  const decide = ({ key, label }: ReviewDecision, version: number, reason: string) => {
    mutate(
      { id, version, key, reason },
      {
        onSuccess: () => {
          setAsking(null)
          void message.success(`已${label}`)
          onDecided()
        },
        onError: (error) => {
          if (!(error instanceof Refusal) || !(error.code in fieldOf)) return
          setAsking(null)
          void lost(error)
        },
      },
    )
  }
  const press = (decision: ReviewDecision) => {
    if (isPending || !query.data) return
    if (decision.open) decision.open()
    else if (decision.reason) setAsking(decision.key)
    else decide(decision, query.data.version, '')
  }
  const help = useEffectEvent((event: KeyboardEvent) => {
    const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, [contenteditable="true"]') !== null
    if (event.key !== '?' || typing) return
    event.preventDefault()
    onKeys(!keysShown)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => help(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])

  const asked = decisions.find(({ key }) => key === asking)
  const title = query.data ? view.title(query.data) : view.words.untitled
  const outcome = query.data ? view.outcome(query.data) : null
  return (
    <article className="review-case" aria-label={title}>
      <header className="review-case-head">
        {back}
        <h2>{title}</h2>
        <ReviewBar
          neighbours={neighbours}
          decisions={decisions.map((decision) => ({
            ...decision,
            unavailable: isPending ? '正在提交' : decision.unavailable,
            onDecide: () => press(decision),
          }))}
        />
      </header>
      {outcome && (
        <p className="review-outcome weak" role="status">
          已{outcome.act}
          {outcome.by && ` · ${outcome.by}`}
          {outcome.at_ms !== null && (
            <>
              {' · '}
              <Time at={outcome.at_ms} />
            </>
          )}
        </p>
      )}
      <RecordBody parts={{ ...view, id, query }} editing={false} tab={tab} onTab={setTab} />
      {asked?.reason && query.data && (
        <ReasonDialog
          title={`${asked.label}「${title}」`}
          act={asked.label}
          asked={asked.reason}
          sending={isPending}
          onSend={(reason) => query.data && decide(asked, query.data.version, reason)}
          onClose={() => setAsking(null)}
        />
      )}
      {keysShown && <Keys decisions={decisions} onClose={() => onKeys(false)} />}
    </article>
  )
}
