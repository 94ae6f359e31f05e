import { useState } from 'react'
import { HttpError } from '@/api/client'
import { Photos } from '@/kit/Photos'
import { type Decision, ReviewBar } from '@/kit/record/ReviewBar'
import { State } from './State'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+P+/HgAFhAJ/wlseKgAAAABJRU5ErkJggg=='
const picture = () => Promise.resolve(new Blob([Uint8Array.from(atob(PIXEL), (letter) => letter.charCodeAt(0))], { type: 'image/png' }))
const photos = [
  { id: '1', name: '现场照片 1', note: '拍摄于距申请位置 12 米处' },
  { id: '2', name: '现场照片 2' },
]
const nothing = { previous: null, next: null }

/** What a case is looked at and decided with, in every state. */
export function CaseStates() {
  const [said, setSaid] = useState('还没有决定')
  const decisions: Decision[] = [
    { key: 'accept', label: '通过', hotkey: 'a', primary: true, onDecide: () => setSaid('已通过') },
    { key: 'reject', label: '驳回', hotkey: 'r', danger: true, onDecide: () => setSaid('已驳回') },
    { key: 'build', label: '通过并建站', hotkey: 'b', unavailable: '申请已建站', onDecide: () => undefined },
  ]
  return (
    <section className="panel gallery-part" aria-label="审核">
      <h2>审核</h2>
      <State name="照片">
        <Photos photos={photos} of={['gallery', 'photos']} load={picture} none="没有照片" />
      </State>
      <State name="照片加载中">
        <Photos photos={photos} of={['gallery', 'waiting']} load={() => new Promise<Blob>(() => undefined)} none="没有照片" />
      </State>
      <State name="照片加载失败">
        <Photos photos={photos} of={['gallery', 'failed']} load={() => Promise.reject(new HttpError(500, ''))} none="没有照片" />
      </State>
      <State name="没有照片">
        <Photos photos={[]} of={['gallery', 'none']} load={picture} none="申请人没有附上照片" />
      </State>
      <State name="队列中的一条">
        <ReviewBar decisions={decisions} neighbours={{ previous: null, next: () => setSaid('下一条') }} />
        <p>{said}</p>
      </State>
      <State name="最后一条">
        <ReviewBar decisions={decisions.map((decision) => ({ ...decision, hotkey: '', unavailable: '申请已驳回' }))} neighbours={nothing} />
      </State>
    </section>
  )
}
