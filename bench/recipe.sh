#!/bin/sh
# What one types without reviewloop: recipe.sh read|iterate OWNER/NAME NUMBER. Reads all that reviewers wrote (threads, reviews, comments,
# checks); `iterate` also answers every open thread, resolves them by twenties and reads again whether any is open.
set -eu
act=$1 repository=$2 number=$3
owner=${repository%/*} name=${repository#*/}

threads() {
  gh api graphql --paginate -F owner="$owner" -F name="$name" -F number="$number" -f query='
    query($owner: String!, $name: String!, $number: Int!, $endCursor: String) {
      repository(owner: $owner, name: $name) { pullRequest(number: $number) { reviewThreads(first: 100, after: $endCursor) {
        pageInfo { hasNextPage endCursor }
        nodes { id isResolved comments(first: 100) { nodes { fullDatabaseId body path line createdAt author { login } } } }
      } } }
    }' --jq '.data.repository.pullRequest.reviewThreads.nodes[] | select(.isResolved | not) | "\(.id) \(.comments.nodes[0].fullDatabaseId)"'
}

all() {
  threads
  gh api --paginate "repos/$repository/pulls/$number/reviews?per_page=100" > /dev/null
  gh api --paginate "repos/$repository/issues/$number/comments?per_page=100" > /dev/null
  gh pr view "$number" -R "$GH_HOST/$repository" --json headRefOid,isDraft,mergeStateStatus,reviewDecision,statusCheckRollup > /dev/null
}

open=$(all)
if [ "$act" = iterate ]; then
  echo "$open" | while read -r thread comment; do
    gh api "repos/$repository/pulls/$number/comments/$comment/replies" -f body="It is meant so." > /dev/null
  done
  echo "$open" | cut -d ' ' -f 1 | xargs -n 20 | while read -r batch; do
    aliases=$(printf '%s\n' $batch | awk '{ printf "t%d: resolveReviewThread(input: {threadId: \"%s\"}) { thread { isResolved } } ", NR, $1 }')
    gh api graphql -f query="mutation { $aliases }" > /dev/null
  done
  open=$(all)
fi
echo "open: $(printf '%s' "$open" | grep -c . || true)"
