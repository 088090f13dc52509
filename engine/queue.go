package engine

// queue holds waiting sequences in order of arrival. Removal from anywhere is
// O(1), since a client may give up while thousands wait.
type queue struct {
	head, tail *sequence
	n          int
}

func (q *queue) push(s *sequence) {
	s.prev, s.next = q.tail, nil
	if q.tail == nil {
		q.head = s
	} else {
		q.tail.next = s
	}
	q.tail = s
	q.n++
}

func (q *queue) remove(s *sequence) {
	if s.prev == nil {
		q.head = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		q.tail = s.prev
	} else {
		s.next.prev = s.prev
	}
	s.prev, s.next = nil, nil
	q.n--
}
